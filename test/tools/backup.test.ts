/** Backup and restore, with the commands of docs/operations.md. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, expect, it } from 'vitest'
import { createClient, idOf } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { useDirectory } from '../support/directory.ts'
import { runOn, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { endPrograms, ROOT, run, startProgram, stopProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { subscribe } from '../support/event-stream.ts'

const directory = useDirectory()
// The PostgreSQL from npm has no pg_dump, and a pg_dump refuses a newer server: so both come from one installation.
const [installation] = globSync('/usr/lib/postgresql/*/bin').filter((path) =>
  ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(path, name))),
)
if (installation === undefined)
  console.warn('Backup and restore are not tested: there is no pg_dump with its server.')

let server: TestPostgres | undefined
afterEach(endPrograms)
afterAll(() => server?.remove())

/** With a role for the server, which may do nothing but what the owner of a database may. */
async function getServer(): Promise<TestPostgres> {
  if (server) return server
  server = await startPostgres(undefined, installation)
  await runOn(server.url, 'create role petstore login')
  return server
}

it.skipIf(installation === undefined)(
  'a dump that is restored into a new database has the pets, the keys and the triggers, and ids continue',
  async () => {
    const server = await getServer()
    const [before, after] = [nameDatabase(server, 'pets'), nameDatabase(server, 'restored')]
    await runOn(server.url, 'create database pets owner petstore')
    const { stdout: key } = await run({ DATABASE_URL: before }, 'keys', 'create', 'shop')
    const { pets, lastId } = await fill(before, key)

    await runCommands(before, after)

    const program = startProgram({ DATABASE_URL: after, MIGRATE_ON_START: 'false' })
    const url = await program.ready
    const client = createClient(url, key)
    expect((await client.send('/v1/pets')).text).toBe(pets)
    const list = await client.graphql(
      '{ pets(filter: {namePrefix: "é"}, orderBy: {field: NAME, direction: ASC}) { nodes { name } } }',
    )
    expect(list).toMatchObject({ data: { pets: { nodes: [{ name: 'Émile' }] } } })
    const events = await subscribe(url, key, 'subscription { petChanged { kind } }')
    expect(BigInt(idOf(await client.createPet({ name: 'later', categoryId: 1 })))).toBeGreaterThan(lastId)
    expect(await events.next()).toMatchObject({ data: { petChanged: { kind: 'created' } } })
    events.abort()
  },
)

it.skipIf(installation === undefined)(
  'a dump that is restored into the database of a running server ends its subscriptions, and new ones get events again',
  async () => {
    const server = await getServer()
    await runOn(server.url, 'create database served owner petstore')
    const database = nameDatabase(server, 'served')
    const program = startProgram({ DATABASE_URL: database, API_KEYS: `test:${KEY}` })
    const url = await program.ready
    const client = createClient(url, KEY)
    const watch = () => subscribe(url, KEY, 'subscription { petChanged { pet { name } } }')
    const create = (name: string) =>
      eventually(async () => expect((await client.createPet({ name, categoryId: 1 })).status).toBe(201))
    const before = await watch()
    const file = join(directory, 'served.dump')
    await runTool('pg_dump', '--format=custom', '--no-owner', `--file=${file}`, database)
    await runTool(
      'pg_restore',
      '--clean',
      '--if-exists',
      '--no-owner',
      '--exit-on-error',
      `--dbname=${database}`,
      file,
    )
    await create('missed')
    expect(await before.next()).toBeNull()
    const after = await watch()
    await create('after')
    expect(await after.next()).toMatchObject({ data: { petChanged: { pet: { name: 'after' } } } })
    for (const stream of [before, after]) stream.abort()
  },
)

/** The URL of a database for the server's own user. */
function nameDatabase({ url }: TestPostgres, name: string): string {
  const named = new URL(`/${name}`, url)
  named.username = 'petstore'
  return named.href
}

/** The last pet is deleted again, so that the ids of the pets do not show where ids continue. */
async function fill(url: string, key: string): Promise<{ pets: string; lastId: bigint }> {
  const program = startProgram({ DATABASE_URL: url })
  const client = createClient(await program.ready, key)
  for (const name of ['Rex', 'Émile', "Robert'); --"]) await client.createPet({ name, categoryId: 1 })
  const last = idOf(await client.createPet({ name: 'last', categoryId: 1 }))
  await client.deletePet(last)
  const { text } = await client.send('/v1/pets')
  await stopProgram(program)
  return { pets: text, lastId: BigInt(last) }
}

/** Runs a program of Postgres. */
async function runTool(name: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(join(installation ?? '', name), args)
}

/** Runs the guide's commands from the dump to the restore. */
async function runCommands(before: string, after: string): Promise<void> {
  const guide = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8')
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const commands = blocks.filter((block) => /\bpg_(dump|restore)\b/.test(block)).join('\n')
  const env = {
    PATH: `${installation}:${process.env.PATH}`,
    DATABASE_URL: before,
    RESTORED_URL: after,
    MAINTENANCE_URL: server?.url,
  }
  const { stderr } = await promisify(execFile)('sh', ['-euc', commands], { cwd: directory, env })
  expect(stderr).toBe('')
}
