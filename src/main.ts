#!/usr/bin/env node
import './runtime.ts'
import { CommanderError } from 'commander'
import { trustExtraAuthorities } from './base/certificates.ts'
import { OperatorError, UsageError } from './base/operator-error.ts'
import { hasCode, messageOf } from './base/thrown.ts'
import { createProgram } from './commands/program.ts'
import { hideSecrets } from './keys/key-secret.ts'

/** Exit statuses. A command that returns ends with 0; so does a server at a signal (commands/serve.ts). */
const FAILED = 1
const WRONG_USAGE = 2

// Without listeners, a reader that goes away would end the process. A command whose output is lost has failed; a server goes on.
process.stdout.on('error', () => (process.exitCode = FAILED))
process.stderr.on('error', () => undefined)

const [, , ...args] = process.argv
try {
  readEnvFile()
  await trustExtraAuthorities(process.env.NODE_EXTRA_CA_CERTS)
  await createProgram().parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' })
} catch (error) {
  if (error instanceof UsageError) end(`error: ${error.message}`, WRONG_USAGE)
  if (error instanceof OperatorError) end(error.message, FAILED)
  // A bug: Node prints where, and ends with 1.
  if (!(error instanceof CommanderError)) throw error
  // Help has been printed, or what is wrong with the command line.
  if (error.exitCode !== 0) process.exitCode = WRONG_USAGE
}

/** Ends the process at once, whatever the command has left open. @param message may repeat an argument, which may be a secret */
function end(message: string, status: number): never {
  console.error(hideSecrets(message))
  process.exit(status)
}

/** Reads `.env` in the current directory, if there is one. What is set in the environment takes precedence. */
function readEnvFile(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw new OperatorError(`.env cannot be read: ${messageOf(error)}`)
  }
}
