#!/usr/bin/env node
import './runtime.ts'
import { parseArgs } from 'node:util'
import { fail } from './commands/fail.ts'

const USAGE = `Usage: npm run petstore -- [command]

Commands:
  serve        serve REST and GraphQL (the default, same as npm start)

Options:
  -h, --help   print this help

Environment variables configure the server; see README.md.`

/** Each command is loaded only when it runs. */
const COMMANDS: Record<string, () => Promise<void>> = {
  serve: async () => (await import('./commands/serve.ts')).serve(),
}

const { values, positionals } = readArguments(process.argv.slice(2))
const [name = 'serve', ...rest] = positionals
const command = COMMANDS[name]
if (values.help || name === 'help') console.log(USAGE)
else if (command && rest.length === 0) await command()
else fail(`Unknown command: ${positionals.join(' ')}\n\n${USAGE}`, 2)

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } })
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, 2)
  }
}
