#!/usr/bin/env node
import './compile-cache.ts'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from './config.ts'
import { DirectoryInUseError } from './db/directory-lock.ts'
import { ServiceError } from './errors.ts'
import { joinLines } from './log-lines.ts'
import { ListenError, type RunningServer, serve } from './serve.ts'
import { ManifestError } from './trusted-manifest.ts'

const USAGE = `Usage: npm run petstore -- [command]

Commands:
  serve        serve REST and GraphQL (the default; the same as npm start)

Options:
  -h, --help   print this

It is configured by environment variables; the README lists them.`

await main(process.argv.slice(2))

async function main(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args)
  const [command = 'serve', ...rest] = positionals
  if (values.help || positionals[0] === 'help') {
    console.log(USAGE)
    return
  }
  if (command !== 'serve' || rest.length > 0) fail(`Unknown command: ${positionals.join(' ')}\n\n${USAGE}`)
  await runServer()
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } })
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}

async function runServer(): Promise<void> {
  let config: Config
  try {
    config = readConfig(process.env)
  } catch (error) {
    return fail(describeStartFailure(error))
  }
  // From the start, and again and again: a terminal's Ctrl-C comes once from the terminal and once from npm.
  let server: RunningServer | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void Promise.resolve(server?.stop()).then(() => process.exit(0)))
  }
  server = await serve(config, console.log, joinLines(process.stderr)).catch((error: unknown) =>
    fail(describeStartFailure(error, config)),
  )
  // Last, since whoever waits for it may send a signal at once.
  console.log(server.announcement)
  const failure = await server.failed
  fail(`The embedded database has ended: ${failure.message}`)
}

/** Says what went wrong before anything was served, and what to do about it. */
function describeStartFailure(error: unknown, config?: Config): string {
  if (error instanceof ConfigError || error instanceof DirectoryInUseError) return error.message
  if (error instanceof ManifestError) return `TRUSTED_DOCUMENTS is not usable: ${error.message}`
  if (error instanceof ListenError) {
    return (
      `HOST ${config?.host}, PORT ${config?.port} cannot be listened on: ${error.message}.\n` +
      'Set HOST to an address of this machine, and PORT to one that is free (0 picks one).'
    )
  }
  if (config?.database.kind === 'embedded') {
    return `The embedded database in ${config.database.directory} does not start: ${describe(error)}\nIs the directory writable, and the disk not full? DATA_DIR names another one.`
  }
  return `The database that DATABASE_URL names cannot be used: ${describe(error)}\nIs it running, and may this user create tables in it?`
}

/** Drizzle's messages hold SQL; what Postgres or the operating system said is in the cause. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError) return `${error.message} (${String(error.cause)})`
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
