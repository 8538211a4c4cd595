#!/usr/bin/env node
/**
 * `petstore-verify BASE_URL [--write]`, in a checkout `npm run verify -- BASE_URL [--write]`: checks a running server, of any
 * implementation, against the contract, clause by clause. The API key comes from PETSTORE_API_KEY. Exit status: 1 if a clause of the contract does not hold, or the server cannot be checked; 2 for wrong
 * usage. Additions of this project are reported, but do not count.
 */
import { parseArgs } from 'node:util'
import { messageOf, OperatorError, UsageError } from '../../src/base/operator-error.ts'
import { parseServerUrl } from '../../src/config/env.ts'
import { checkServer, type ClauseResult } from './check-server.ts'
import { type Pet, PET_NAME } from './clause.ts'
import { createSend } from './http-client.ts'
import { describeResult, describeSummary } from './report.ts'

const USAGE = `Usage: PETSTORE_API_KEY=… petstore-verify BASE_URL [--write]
In a checkout: PETSTORE_API_KEY=… npm run verify -- BASE_URL [--write]

  BASE_URL  the address of the REST API, ending in /v1
  --write   also check createPet; this leaves a few pets, because REST cannot delete them`

try {
  await verify()
} catch (error) {
  if (!(error instanceof OperatorError)) throw error
  const isUsage = error instanceof UsageError
  console.error(isUsage ? `error: ${error.message}\n\n${USAGE}` : error.message)
  process.exitCode = isUsage ? 2 : 1
}

async function verify(): Promise<void> {
  const { baseUrl, writes } = readArguments()
  const key = readKey()
  const created: (Pet | null)[] = []
  const results: ClauseResult[] = []
  const options = {
    send: createSend(baseUrl),
    key,
    writes,
    onCreated: (pet: Pet | null) => created.push(pet),
  }
  try {
    for await (const result of checkServer(options)) {
      for (const line of describeResult(result, results.at(-1))) console.log(line)
      results.push(result)
    }
    for (const line of describeSummary(results)) console.log(line)
    if (results.some(({ origin, outcome }) => origin === 'contract' && outcome === 'fails'))
      process.exitCode = 1
  } finally {
    reportCreated(created)
  }
}

function readArguments(): { baseUrl: string; writes: boolean } {
  const { positionals, values } = parse()
  const [address, ...others] = positionals
  if (address === undefined || others.length > 0) throw new UsageError('One BASE_URL is expected.')
  const baseUrl = parseServerUrl(address, (expected) => {
    throw new UsageError(`BASE_URL must be ${expected}.`)
  })
  if (baseUrl === null) throw new UsageError('BASE_URL is empty.')
  return { baseUrl, writes: values.write === true }
}

function parse() {
  try {
    return parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } })
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
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
