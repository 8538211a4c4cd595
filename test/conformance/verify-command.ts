/** The command that verify.ts runs. */
import { parseArgs } from 'node:util'
import { OperatorError, UsageError } from '../../src/base/operator-error.ts'
import { messageOf } from '../../src/base/thrown.ts'
import { Environment } from '../../src/config/environment.ts'
import { parseServerUrl } from '../../src/config/variable-parsers.ts'
import { checkServer, type ClauseResult } from './check-server.ts'
import { type Pet, PET_NAME } from './clause.ts'
import { createSend } from './http-client.ts'
import { describeResult, describeSummary } from './report.ts'

const USAGE = `Usage: PETSTORE_API_KEY=… petstore-verify BASE_URL [--write]
In a checkout: PETSTORE_API_KEY=… npm run verify -- BASE_URL [--write]

  BASE_URL  the address of the REST API, ending in /v1
  --write   also check createPet; this leaves a few pets, because REST cannot delete them`

/** Checks a server, and prints the results. @returns the exit status */
export async function verify(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    return await check(readArguments(args), readKey(env))
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const isUsage = error instanceof UsageError
    console.error(isUsage ? `error: ${error.message}\n\n${USAGE}` : error.message)
    return isUsage ? 2 : 1
  }
}

interface Arguments {
  baseUrl: string
  writes: boolean
}

async function check({ baseUrl, writes }: Arguments, key: string): Promise<number> {
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
    return results.some(({ origin, outcome }) => origin === 'contract' && outcome === 'fails') ? 1 : 0
  } finally {
    reportCreated(created)
  }
}

function readArguments(args: string[]): Arguments {
  const { positionals, values } = parse(args)
  const [address, ...others] = positionals
  if (address === undefined || others.length > 0) throw new UsageError('One BASE_URL is expected.')
  if (address === '') throw new UsageError('BASE_URL is empty.')
  const variables = new Environment({ BASE_URL: address })
  const baseUrl = variables.read('BASE_URL', address, parseServerUrl)
  for (const problem of variables.problems) throw new UsageError(`${problem}.`)
  return { baseUrl, writes: values.write === true }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { write: { type: 'boolean' } } })
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

function readKey(env: NodeJS.ProcessEnv): string {
  const key = env.PETSTORE_API_KEY ?? ''
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
