import { styleText } from 'node:util'
import { UsageError } from '../base/errors.ts'
import { parseServerUrl } from '../config/env.ts'
import { type Pet, PET_NAME } from '../verify/clauses/clause.ts'
import { createHttpClient } from '../verify/http-client.ts'
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

const HEADINGS = {
  contract: 'The contract',
  addition: 'Additions of this project, which another server may lack',
}
const MARKS = { holds: 'green', fails: 'red', skipped: 'dim', removed: 'dim' } as const

/** The lines for one clause, in colours if stdout is a terminal; none if it was skipped. @param previous the one before */
export function describeResult(result: ClauseResult, previous: ClauseResult | undefined): string[] {
  const { id, origin, says, outcome, reason, request } = result
  const heading = origin === previous?.origin ? [] : ['', styleText('bold', HEADINGS[origin])]
  if (outcome === 'skipped') return heading
  // A missing addition is not a fault in a server that only serves the contract.
  const colour = outcome === 'fails' && origin === 'addition' ? 'yellow' : MARKS[outcome]
  return [
    ...heading,
    `  ${styleText(colour, outcome)}  ${id.padEnd(12)} ${says}`,
    ...(outcome === 'fails' ? [`         ${request ?? ''}: ${reason ?? ''}`] : []),
  ]
}

function summarize(results: readonly ClauseResult[], origin: ClauseResult['origin']) {
  const own = results.filter((result) => result.origin === origin)
  const { holds = [], fails = [], skipped = [], removed = [] } = Object.groupBy(own, ({ outcome }) => outcome)
  return { holds: holds.length, fails: fails.length, skipped: skipped.length, removed: removed.length }
}

/** The last lines: how many hold, and why others were not checked. */
export function describeSummary(results: readonly ClauseResult[]): string[] {
  const [contract, additions] = [summarize(results, 'contract'), summarize(results, 'addition')]
  const colour = contract.fails === 0 ? 'green' : 'red'
  return [
    '',
    styleText(['bold', colour], `Contract: ${describeCounts(contract)}.`),
    `Additions: ${describeCounts(additions)}.`,
    ...listSkipped(results),
  ]
}

const describeCounts = ({ holds, fails, removed }: ReturnType<typeof summarize>) =>
  `${holds} of ${holds + fails} checked clauses hold${removed > 0 ? `; ${removed} are about an operation that has been removed` : ''}`

function listSkipped(results: readonly ClauseResult[]): string[] {
  const skipped = results.filter(({ outcome }) => outcome === 'skipped')
  return Array.from(
    Map.groupBy(skipped, ({ reason }) => reason),
    ([reason, group]) => {
      const ofContract = group.filter(({ origin }) => origin === 'contract').length
      return `Not checked, because they ${reason ?? ''}: ${ofContract} of the contract, ${group.length - ofContract} additions.`
    },
  )
}

/** For scripts. @param created the pets that were left */
export function toJson(
  baseUrl: string,
  results: readonly ClauseResult[],
  created: readonly (Pet | null)[],
): object {
  const [contract, additions] = [summarize(results, 'contract'), summarize(results, 'addition')]
  return {
    baseUrl,
    holds: contract.fails === 0,
    contract,
    additions,
    clauses: results,
    // Digits, because many parsers round JSON's integers.
    created: created.map((pet) => ({ id: pet?.id.toString() ?? null, name: pet?.name ?? null })),
  }
}
