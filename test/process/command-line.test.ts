/**
 * What a command needs before it runs, its usage and its help. Usage is checked in this process, except where the exit status or the name
 * of the program matters.
 */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { CommanderError } from 'commander'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { UsageError } from '../../src/base/operator-error.ts'
import { createProgram } from '../../src/commands/program.ts'
import { createDirectory } from '../support/temporary.ts'
import { preload, ROOT, run, startProgram } from '../support/process.ts'

beforeEach(() => {
  vi.stubEnv('PETSTORE_API_KEY', 'a-secret-of-the-tests')
  // A command line that counts as valid finds no database.
  vi.stubEnv('DATA_DIR', '/sys/none')
})
afterEach(() => void vi.unstubAllEnvs())

/** Runs a command that ends with an error or with its help. @returns the error, and what it has printed on stdout */
async function fail(args: string[]): Promise<{ error: unknown; stdout: string }> {
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const error: unknown = await createProgram()
    .parseAsync(args, { from: 'user' })
    .catch((error: unknown) => error)
  return { error, stdout: output.mock.calls.map(([text]) => String(text)).join('') }
}

/** Errors that main.ts reports as wrong usage: exit status 2. */
const isWrongUsage = (error: unknown) =>
  error instanceof UsageError || (error instanceof CommanderError && error.exitCode !== 0)

it.each([
  ...['fly', '--fly', 'migrate now'],
  ...['keys', 'keys make', 'keys create', 'keys create a%20b', 'keys create shop --scope admin'],
  ...['keys create shop --expires 2020-01-01', 'keys create shop --expires tomorrow'],
  ...['keys create shop --expires 0', 'keys create shop --expires 9999-12-31T23:59:59-01:00'],
  ...['keys list shop', 'keys revoke', 'keys rotate shop --overlap 1w'],
  ...['import', 'import pets.txt', 'import pets.csv.gz', 'import pets.xlsx'],
  ...['import pets.csv --format xml', 'export pets', 'export a.csv b.csv'],
])('wrong usage prints nothing on stdout: petstore %s', async (line) => {
  const { error, stdout } = await fail(line.split(' ').map(decodeURIComponent))
  expect(error).toSatisfy(isWrongUsage)
  expect(stdout).toBe('')
})

it.each([
  ['fly', /unknown command 'fly'.*Usage/s],
  ['keys list shop', /^error: too many arguments/],
])('the error names wrong usage, and the process exits with 2: petstore %s', async (line, expected) => {
  const { status, stdout, stderr } = await run({}, ...line.split(' '))
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(expected)])
})

it.each([
  ...['keys list S', 'keys revoke a S', 'migrate S', 'S', 'keys S', '--S'],
  ...['keys create S', 'keys create Bearer%20S', 'keys rotate xS'],
  ...['keys create a --scope S', 'keys create a --expires S', 'keys rotate a --overlap S', 'import S'],
])('the error has no secret: petstore %s', async (line) => {
  const args = line.replace('S', 'pets_abcdefgh_VERYSECRET').split(' ').map(decodeURIComponent)
  const { status, stdout, stderr } = await run({}, ...args)
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^error: .*\S/)])
  expect(stderr).not.toContain('VERYSECRET')
})

/** The names of a command and those below it. */
const namesOf = (command: CommandUnknownOpts): string[][] => [
  [],
  ...command.commands.flatMap((each) => namesOf(each).map((names) => [each.name(), ...names])),
]

it.each(namesOf(createProgram()).map((names) => names.join(' ')))(
  'petstore %s --help has an example',
  async (line) => {
    const { error, stdout } = await fail([...line.split(' ').filter(Boolean), '--help'])
    expect(error).toMatchObject({ exitCode: 0 })
    expect(stdout).toMatch(new RegExp(`^Usage: petstore ${line}.*\\nExamples?:\\n {2}\\S`, 's'))
  },
)

/** The scripts of package.json that start the program. */
const { name: packageName, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string
  scripts: Record<string, string>
}
const starting = Object.keys(scripts).filter((name) =>
  /bin\/petstore\.js|src\/main\.ts/.test(scripts[name] ?? ''),
)
/** What npm sets for a script. */
const byNpm = (script: string, of: string) => ({ npm_lifecycle_event: script, npm_package_name: of })

it.each(starting)('what npm run %s starts names commands that a checkout has', async (script) => {
  const env = byNpm(script, packageName)
  const { status, stdout } = await run(env, '--help')
  expect(status).toBe(0)
  expect(stdout).toContain('Usage: npm run petstore -- [options]')
  expect(stdout).toContain('  npm run petstore -- keys list')
  expect((await run(env, 'serve', '--help')).stdout).toContain('PORT=8080 npm start')
  expect((await run(env, 'export', '--help')).stdout).toContain('npm run --silent petstore -- export |')
})

it.each([
  ['a script of another package', byNpm('start', 'shop')],
  ['npx', byNpm('npx', packageName)],
])('what %s starts has the name of the package', async (_, env) => {
  expect((await run(env, '--help')).stdout).toContain('Usage: petstore [options]')
})

it('all configuration problems are reported at once, and the process exits with 1', async () => {
  const invalid = { PORT: '70000', DATABASE_URL: 'mysql://x', API_KEYS: 'nameonly', LOG_LEVEL: 'loud' }
  const { status, stdout, stderr } = await run(invalid)
  expect([status, stdout]).toEqual([1, ''])
  for (const variable of Object.keys(invalid)) expect(stderr).toContain(`- ${variable}`)
})

it.each(['v16.20.2', 'v18.20.8', 'v20.20.0', 'v23.11.1'])(
  'on Node %s, the error says which is needed, before it loads anything that this one lacks',
  async (version) => {
    const checkout = createDirectory()
    onTestFinished(() => checkout.remove())
    cpSync(join(ROOT, 'bin'), join(checkout.path, 'bin'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(checkout.path, 'package.json'))
    const versions = `Object.defineProperty(process, 'versions', { value: { node: '${version.slice(1)}' } })`
    const text = `${versions}; Object.defineProperty(process, 'version', { value: '${version}' })`
    const env = { NODE_OPTIONS: preload(text) }
    const { ended, stderr } = startProgram(env, ['keys', 'list'], checkout.path)
    expect([await ended, stderr]).toEqual([1, [expect.stringMatching(new RegExp(`24.*${version}`))]])
  },
)

it('before npm ci, the error says so', async () => {
  const checkout = createDirectory()
  onTestFinished(() => checkout.remove())
  for (const name of ['bin', 'build.js', 'package.json', 'src'])
    cpSync(join(ROOT, name), join(checkout.path, name), { recursive: true })
  const { ended, stderr } = startProgram({}, [], checkout.path)
  expect([await ended, stderr]).toEqual([1, ['The packages are missing. Run npm ci first.']])
})
