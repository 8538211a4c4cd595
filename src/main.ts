#!/usr/bin/env node
import './runtime.ts'
import { CommanderError } from 'commander'
import { trustExtraAuthorities } from './base/certificates.ts'
import { OperatorError, UsageError } from './base/operator-error.ts'
import { messageOf } from './base/thrown.ts'
import { createProgram } from './commands/program.ts'

// Without listeners, a reader that goes away would end the process. A command whose output is lost has failed; a server goes on.
process.stdout.on('error', () => (process.exitCode = 1))
process.stderr.on('error', () => undefined)

const [, , ...args] = process.argv
try {
  readEnvFile()
  await trustExtraAuthorities(process.env.NODE_EXTRA_CA_CERTS)
  await createProgram().parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' })
} catch (error) {
  if (error instanceof OperatorError) {
    const isUsage = error instanceof UsageError
    console.error(isUsage ? `error: ${error.message}` : error.message)
    process.exit(isUsage ? 2 : 1)
  }
  if (!(error instanceof CommanderError)) throw error
  // Help has been printed, or what is wrong with the command line.
  if (error.exitCode !== 0) process.exitCode = 2
}

/** Reads `.env` in the current directory, if there is one. What is set in the environment takes precedence. */
function readEnvFile(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw new OperatorError(`.env cannot be read: ${messageOf(error)}`)
  }
}
