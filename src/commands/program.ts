/**
 * The command line: the commands and their options. Each command's file is loaded only when it runs. The types of the options follow from
 * their texts; an action names each one, so a flag that is renamed here alone does not compile.
 *
 * A command prints its result to stdout, and all else to stderr. It returns when it has succeeded, or throws an OperatorError, or a
 * UsageError, which main.ts prints.
 */
import { readFileSync } from 'node:fs'
import { Command, Option } from '@commander-js/extra-typings'
import { PROGRAM_NAME as NAME, SERVE_COMMAND, SILENT_PROGRAM_NAME } from '../base/program-name.ts'
import { pathInProject } from '../base/project-root.ts'
import { SCOPES } from '../base/scope.ts'
import { KNOWN_WITHIN } from '../keys/key-polling.ts'
import { hideSecrets } from '../keys/key-secret.ts'
import { FORMATS } from '../transfer/files.ts'
import { EXAMPLE_DATE, EXAMPLE_DURATIONS, parseExpiry, parseKeyName, parseOverlap } from './key-arguments.ts'

const scopeOption = new Option('--scope <scope>', 'what the key may do; write includes read')
  .choices(SCOPES)
  .default('write')
const expiresOption = new Option(
  '--expires <time>',
  `when it expires: ${EXAMPLE_DURATIONS}, or a date such as ${EXAMPLE_DATE}`,
).argParser(parseExpiry)
const overlapOption = new Option(
  '--overlap <duration>',
  `how long the older secrets stay valid: ${EXAMPLE_DURATIONS}; 0: not at all`,
)
  .argParser(parseOverlap)
  .default(parseOverlap('24h'), '"24h"')
const formatOption = new Option(
  '--format <format>',
  'the format of the file (default: from its extension; ndjson for -)',
).choices(FORMATS)
const jsonOption = new Option('--json', 'print JSON')
/** How `<file>` of an import and an export is described. */
const EXTENSIONS = 'its extension gives the format: .ndjson, .jsonl or .csv'

const loadKeys = () => import('./keys.ts')

export function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(pathInProject('package.json'), 'utf8')) as { version: string }
  const program = new Command(NAME)
    .description(
      'Runs and manages the pet store. Environment variables configure it; docs/operations.md lists them.',
    )
    .version(version, '--version', 'print the version')
    .addHelpText('after', example(`${NAME} keys list`))
    .showHelpAfterError()
    // It repeats what it has not expected, which may be a secret.
    .configureOutput({ outputError: (message, write) => write(hideSecrets(message)) })
    .exitOverride()

  program
    .command('serve')
    .description('serve the REST API and the GraphQL API (the default)')
    .addHelpText('after', example(`PORT=8080 ${SERVE_COMMAND}`))
    .action(async () => (await import('./serve.ts')).serve())
  program
    .command('migrate')
    .description('apply the database migrations, then exit')
    .addHelpText('after', example(`DATABASE_URL=postgres://… ${NAME} migrate`))
    .action(async () => (await import('./migrate.ts')).migrate())
  addKeyCommands(program)
  addDataCommands(program)
  return program
}

function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('manage the API keys in the database')
    .addHelpText('after', example(`${NAME} keys create shop --scope read`))
  keys
    .command('create')
    .description('create an API key; its secret is printed once, as the only output on stdout')
    .argument('<name>', 'the name of the client; rate limits and idempotency keys belong to it', parseKeyName)
    .addOption(scopeOption)
    .addOption(expiresOption)
    .addOption(jsonOption)
    .addHelpText('after', example(`${NAME} keys create shop --scope read --expires 90d`))
    .action(async (name, { scope, expires, json }) =>
      (await loadKeys()).createKey(name, { scope, expires, json }),
    )
  keys
    .command('list')
    .description('list the keys, without their secrets')
    .addOption(jsonOption)
    .addHelpText('after', example(`${NAME} keys list --json`))
    .action(async ({ json }) => (await loadKeys()).listKeys({ json }))
  keys
    .command('revoke')
    .description(`revoke a key, or all keys of a name; running servers reject them within ${KNOWN_WITHIN}`)
    .argument('<id>', 'the id, which is also in the secret (pets_<id>_…); with --all, the name')
    .option('--all', 'revoke all keys of the name')
    .addHelpText('after', example(`${NAME} keys revoke k3v9x2ab`, `${NAME} keys revoke shop --all`))
    .action(async (id, { all }) => (await loadKeys()).revokeKeys(id, { all }))
  keys
    .command('rotate')
    .description(
      'create a new secret for a name, with the same scope and lifetime; its older secrets expire after the overlap',
    )
    .argument('<name>', 'the name of a valid key', parseKeyName)
    .addOption(overlapOption)
    .addOption(expiresOption)
    .addOption(jsonOption)
    .addHelpText('after', example(`${NAME} keys rotate shop --overlap 1h`))
    .action(async (name, { overlap, expires, json }) =>
      (await loadKeys()).rotateKey(name, { overlap, expires, json }),
    )
}

function addDataCommands(program: Command): void {
  program
    .command('import')
    .description(
      'load pets, all or none, from NDJSON (a JSON object per line) or CSV with a header; the fields are those of the REST API',
    )
    .argument('<file>', `the file, or - for stdin; ${EXTENSIONS}`)
    .addOption(formatOption)
    .option('--keep-ids', 'keep the ids in the file; otherwise, each pet gets a new one')
    .addHelpText(
      'after',
      example(
        `${NAME} import pets.csv`,
        `${NAME} export pets.ndjson && DATABASE_URL=postgres://… ${NAME} import pets.ndjson --keep-ids`,
      ),
    )
    .action(async (file, { format, keepIds }) =>
      (await import('./import.ts')).importFile(file, { format, keepIds }),
    )
  program
    .command('export')
    .description('write all pets, ordered by id, from one snapshot')
    .argument('[file]', `the file, or - for stdout; ${EXTENSIONS}`, '-')
    .addOption(formatOption)
    .option('--force', 'replace the file if it exists')
    .addHelpText('after', example(`${NAME} export pets.csv`, `${SILENT_PROGRAM_NAME} export | grep sold`))
    .action(async (file, { format, force }) =>
      (await import('./export.ts')).exportFile(file, { format, force }),
    )
}

function example(...lines: string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
