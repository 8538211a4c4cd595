import { UsageError } from '../base/service-error.ts'
import { parseServerUrl } from '../config/env.ts'
import { type Pet, PET_NAME } from '../verify/clauses/clause.ts'
import { createHttpClient } from '../verify/http-client.ts'
import { describeResult, describeSummary, toJson } from '../verify/report.ts'
import { type ClauseResult, verify } from '../verify/run.ts'
import { print } from './print.ts'

export interface VerifyFlags {
  write?: true
  json?: true
}

/** Checks a running server against the contract; the exit status is 1 if a clause of the contract does not hold. */
export async function verifyServer(address: string, flags: VerifyFlags): Promise<void> {
  const baseUrl = readBaseUrl(address)
  const key = readKey()
  const created: (Pet | null)[] = []
  const client = createHttpClient(baseUrl, (reason) => console.error(reason))
  const results: ClauseResult[] = []
  try {
    const options = { send: client.send, key, writes: flags.write === true }
    for await (const result of verify({ ...options, onCreated: (pet) => created.push(pet) })) {
      if (!flags.json) for (const line of describeResult(result, results.at(-1))) await print(line)
      results.push(result)
    }
    const report = flags.json
      ? [JSON.stringify(toJson(baseUrl, results, created), null, 2)]
      : describeSummary(results)
    for (const line of report) await print(line)
    // Not exit(), which would cut off output that a pipe has not taken yet.
    if (results.some(({ origin, outcome }) => origin === 'contract' && outcome === 'fails'))
      process.exitCode = 1
  } finally {
    client.close()
    reportCreated(created)
  }
}

function readBaseUrl(address: string): string {
  const url = parseServerUrl(address, (expected) => {
    throw new UsageError(`<base-url> must be ${expected}.`)
  })
  if (url === null) throw new UsageError('<base-url> is empty.')
  return url
}

function readKey(): string {
  const key = process.env.PETSTORE_API_KEY ?? ''
  if (key === '') throw new UsageError('PETSTORE_API_KEY is not set: set it to an API key of that server.')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('PETSTORE_API_KEY contains spaces, line breaks or other characters that no key has.')
  return key
}

/** REST cannot delete them, so the operator has to. */
function reportCreated(created: readonly (Pet | null)[]): void {
  if (created.length === 0) return
  const ids = created.map((pet) => pet?.id.toString() ?? 'unknown').join(', ')
  console.error(`Some pets were created and remain. Their names begin with "${PET_NAME}"; their ids: ${ids}`)
}
