#!/usr/bin/env node
import './runtime.ts'
import { CommanderError } from 'commander'
import { createProgram } from './commands/program.ts'

const [, , ...args] = process.argv
try {
  await createProgram().parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' })
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // Help has been printed, or what is wrong with the command line.
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
