/** The commands import and export, on both databases. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/db/database.ts'
import { petResource } from '../../src/pets/pet-resource.ts'
import { createDatabase } from '../../src/server/create-database.ts'
import { openInput } from '../../src/transfer/files.ts'
import { importItems } from '../../src/transfer/import-items.ts'
import { createClient, idOf } from '../support/client.ts'
import { createMigratedDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { subscribe } from '../support/event-stream.ts'
import { demoKeyOf, endPrograms, run, startProgram, startShell } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { lockPets } from '../support/table-lock.ts'

const directory = useDirectory()
/** The directory of this test. */
let here: string
beforeEach(() => {
  here = mkdtempSync(join(directory, 'test-'))
})
afterEach(endPrograms)

type Env = Record<string, string>

async function createPostgres(): Promise<{ DATABASE_URL: string }> {
  const database = await createMigratedDatabase()
  onTestFinished(() => database.remove())
  return database.env
}

/** The database of the commands, in this process: starting one takes longer than a small import. */
async function openDatabase(env: Env): Promise<Database> {
  const database = await createDatabase(readConfig(env), () => undefined)
  onTestFinished(() => database.close())
  await database.open(null)
  return database
}

/** The lines of an export to stdout. */
async function exportLines(env: Env): Promise<string[]> {
  const { stdout } = await run(env, 'export')
  return stdout === '' ? [] : stdout.split('\n')
}

function writeLines(file: string, lines: readonly string[]): string {
  const path = join(here, file)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const writePets = (file: string, count: number) =>
  writeLines(
    file,
    Array.from({ length: count }, (_, index) => `{"name":"pet ${index + 1}","categoryId":1}`),
  )

async function startServer(env: Env) {
  const url = await startProgram({ ...env, API_KEYS: `test:${KEY}` }).ready
  return { url, client: createClient(url, KEY) }
}

const [min, max] = ['-9223372036854775808', '9223372036854775807']
/** The greatest id that an import keeps. */
const maxKept = '9223371036854775807'
const names = [
  '',
  ' ',
  ' a ',
  '"',
  ',',
  '\n',
  '\r\n',
  'a\r',
  'Émile 🐕',
  '=1+1',
  '\\N',
  '\t',
  'é'.repeat(1_000),
]
const odd = names
  .map((name, index) => ({ name, id: index + 1, status: (['sold', null] as const)[index % 2] }))
  .map(({ name, id, status }) => {
    const end = status ? `,"status":"${status}"` : ''
    return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${id % 2 ? min : max}${end}}`
  })
/** By id. */
const oddPets = [
  `{"id":${min},"name":"first","categoryId":0}`,
  ...odd,
  `{"id":${maxKept},"name":"last","categoryId":0}`,
]

it(
  'the pets of the embedded database move to Postgres byte for byte, as the guide says, in both formats',
  { tags: 'slow' },
  async () => {
    const embedded = { DATA_DIR: join(here, 'data') }
    const file = writeLines('odd.ndjson', oddPets)
    expect(await run(embedded, 'import', file, '--keep-ids')).toMatchObject({ status: 0, stdout: '' })
    for (const format of ['ndjson', 'csv']) {
      const env = await createPostgres()
      const copy = join(here, `pets.${format}`)
      const line = `$PETSTORE export ${copy} && DATABASE_URL=${env.DATABASE_URL} $PETSTORE import ${copy} --keep-ids`
      const { ended, stderr } = startShell(line, embedded)
      expect(await ended).toBe(0)
      expect(stderr.join('\n')).toContain(`Exported ${oddPets.length} pets`)
      expect(await exportLines(env)).toEqual(oddPets)
      expect((await run(env, 'export', join(here, `again.${format}`))).status).toBe(0)
      expect(readFileSync(join(here, `again.${format}`), 'utf8')).toBe(readFileSync(copy, 'utf8'))
    }
  },
)

it('--keep-ids of no id above 0 lets new ids begin at 1, and keeps demo pets out', async () => {
  const embedded = { DATA_DIR: join(here, 'data') }
  const file = writeLines('a.csv', ['id,name,categoryId', '0,Rex,1', '-1,Luna,1'])
  expect((await run(embedded, 'import', file, '--keep-ids')).status).toBe(0)
  const program = startProgram(embedded)
  const client = createClient(await program.ready, demoKeyOf(program))
  expect((await client.send('/v1/pets')).json).toMatchObject([{ id: -1 }, { id: 0 }])
  expect(idOf(await client.createPet({ name: 'Kiwi', categoryId: 1 }))).toBe('1')
})

// The statements are the same on both databases.
describe('on Postgres,', () => {
  let env: Env
  beforeEach(async () => {
    env = await createPostgres()
  })

  it('10,001 pets get their ids in the order of the file, and are found by name', async () => {
    expect((await run(env, 'import', writePets('many.ndjson', 10_001))).status).toBe(0)
    const lines = await exportLines(env)
    expect(lines.map((line) => /"id":(\d+),"name":"pet (\d+)"/.exec(line)?.slice(1))).toEqual(
      Array.from({ length: 10_001 }, (_, index) => [String(index + 1), String(index + 1)]),
    )
    const { client } = await startServer(env)
    const query =
      '{ pets(first: 2, filter: { namePrefix: "PET 100" }, orderBy: { field: NAME, direction: ASC }) { nodes { name } } }'
    expect(await client.graphql(query)).toMatchObject({
      data: { pets: { nodes: [{ name: 'pet 100' }, { name: 'pet 1000' }] } },
    })
  })

  it('an import with bad lines imports nothing, and names the first ten', async () => {
    const good = Array.from({ length: 5_000 }, () => 'Rex,1')
    const bad = Array.from({ length: 12 }, () => 'Max,x')
    const { status, stderr } = await run(
      env,
      'import',
      writeLines('bad.csv', ['name,categoryId', ...good, ...bad]),
    )
    expect(status).toBe(1)
    const named = stderr.split('\n').filter((line) => line.startsWith('line '))
    expect(named.map((line) => line.split(' is')[0])).toEqual(
      Array.from({ length: 10 }, (_, index) => `line ${5_002 + index}: categoryId`),
    )
    expect(await exportLines(env)).toEqual([])
  })

  it('an import without ids skips those of pets that plain SQL has inserted', async () => {
    const sql = postgres(env.DATABASE_URL ?? '', { max: 1 })
    onTestFinished(() => sql.end())
    await sql`insert into pets (id, name, category_id) values (1, 'Rex', 1)`
    expect((await run(env, 'import', writePets('two.ndjson', 2))).status).toBe(0)
    expect((await exportLines(env)).map((line) => /"id":(\d+)/.exec(line)?.[1])).toEqual(['1', '2', '3'])
  })

  it('--keep-ids names ids that are taken, and changes nothing', async () => {
    await run(env, 'import', writeLines('a.csv', ['id,name,categoryId', '5,Rex,1']), '--keep-ids')
    const file = writeLines('b.csv', ['id,name,categoryId', '7,Max,1', '5,Rex,1', '7,Tom,1', '8,Ann,1'])
    const { status, stderr } = await run(env, 'import', file, '--keep-ids')
    expect(status).toBe(1)
    expect(Array.from(stderr.matchAll(/^line (\d+): .*?(\d+)/gm), ([, line, id]) => [line, id])).toEqual([
      ['3', '5'],
      ['4', '7'],
    ])
    expect(await exportLines(env)).toEqual(['{"id":5,"name":"Rex","categoryId":1}'])
    expect((await run(env, 'import', writePets('next.ndjson', 1))).status).toBe(0)
    expect((await exportLines(env))[1]).toContain('"id":6,')
  })

  it('--keep-ids gives up if another transaction goes on writing, so that no write queues behind it for long', async () => {
    expect((await run(env, 'migrate')).status).toBe(0)
    const sql = postgres(String(env.DATABASE_URL))
    const file = writeLines('a.csv', ['id,name,categoryId', '5,Rex,1'])
    await sql.begin(async (tx) => {
      await tx`insert into pets (name, category_id) values ('Max', 1)`
      const { status, stderr } = await run(env, 'import', file, '--keep-ids')
      expect([status, stderr]).toEqual([1, expect.stringContaining('Another transaction is writing pets')])
      await sql`insert into pets (name, category_id) values ('Tom', 1)`
    })
    await sql.end()
    expect((await run(env, 'import', file, '--keep-ids')).status).toBe(0)
    expect(await exportLines(env)).toHaveLength(3)
  })

  it(
    'an import with ids moves the sequence beyond them, and never back: none, negative and lower ids do not change it',
    { tags: 'slow' },
    async () => {
      /** The ids of an import, and the id of the next pet without one. */
      const cases: [ids: string[], next: string][] = [
        [[], '1'],
        [['-3'], '2'],
        [['7', '40'], '41'],
        [['9'], '42'],
        [[maxKept], '9223371036854775808'],
      ]
      const database = await openDatabase(env)
      const load = async (lines: string[], keepIds: boolean) => {
        const file = writeLines('ids.csv', lines)
        await importItems(database, await openInput(file), { resource: petResource, format: 'csv', keepIds })
      }
      for (const [ids] of cases) {
        await load(['id,name,categoryId', ...ids.map((id) => `${id},Rex,1`)], true)
        await load(['name,categoryId', 'next,1'], false)
      }
      const created = (await exportLines(env)).filter((line) => line.includes('"next"'))
      expect(created.map((line) => /\d+/.exec(line)?.[0])).toEqual(cases.map(([, id]) => id))
    },
  )
})

it('an export that is killed leaves the earlier file, or a complete new one', { tags: 'slow' }, async () => {
  const PETS = 50_000
  const env = await createPostgres()
  const sql = postgres(env.DATABASE_URL, { max: 1 })
  onTestFinished(() => sql.end())
  await sql`insert into pets (name, category_id) select 'pet ' || n, 1 from generate_series(1, ${PETS}) as n`
  const file = join(here, 'pets.csv')
  for (const [index, bytes] of [0, 0, 10_000, 500_000, 900_000].entries()) {
    const before = index % 2 === 0 ? null : 'id,name,categoryId,status\n'
    rmSync(file, { force: true })
    if (before !== null) writeFileSync(file, before)
    const { child, ended } = startProgram(env, ['export', file, '--force'])
    const draft = `${file}.${child.pid}.part`
    const hasEnded = ended.then(() => true)
    while ((statSync(draft, { throwIfNoEntry: false })?.size ?? -1) < bytes)
      if (await Promise.race([hasEnded, setTimeout(1, false)])) break
    child.kill('SIGKILL')
    const status = await ended
    const text = existsSync(file) ? readFileSync(file, 'utf8') : null
    if (text !== before) expect(text?.split('\n')).toHaveLength(PETS + 2)
    else expect(status).toBe('SIGKILL')
  }
})

it('an export whose reader goes away fails', { tags: 'slow' }, async () => {
  const env = await createPostgres()
  await run(env, 'import', writePets('many.ndjson', 20_000))
  const { ended, stdout, stderr } = startShell('$PETSTORE export | head -n 1', env)
  expect(await ended).toBe(1)
  expect(stdout).toEqual(['{"id":1,"name":"pet 1","categoryId":1}'])
  expect(stderr.at(-1)).toBe('Cannot write to stdout: write EPIPE.')
})

it('an export replaces a file only with --force, when it is complete, or the target of a link, and writes into what is not a file', async () => {
  const env = await createPostgres()
  await run(env, 'import', writePets('one.ndjson', 1))
  const file = writeLines('mine.csv', ['mine'])
  expect(await run(env, 'export', file)).toMatchObject({ status: 1, stderr: expect.stringContaining(file) })
  expect(readFileSync(file, 'utf8')).toBe('mine\n')
  expect((await run(env, 'export', file, '--force')).status).toBe(0)
  expect(readFileSync(file, 'utf8')).toMatch(/^id,name,categoryId,status.*\n1,pet 1,1,.*\n$/)
  expect(readdirSync(here)).toHaveLength(2)
  const link = join(here, 'link.csv')
  symlinkSync(file, link)
  chmodSync(file, 0o600)
  expect((await run(env, 'export', link)).status).toBe(1)
  expect((await run(env, 'export', link, '--force')).status).toBe(0)
  expect([readlinkSync(link), statSync(file).mode & 0o777]).toEqual([file, 0o600])
  expect((await run(env, 'export', '/dev/null', '--format', 'csv')).status).toBe(0)
})

describe('on Postgres, while a server runs,', { tags: 'slow' }, () => {
  it('an import ends the streams', async () => {
    const env = await createPostgres()
    const { url } = await startServer(env)
    const stream = await subscribe(url, KEY, 'subscription { petChanged { pet { name } } }')
    onTestFinished(() => stream.abort())
    await run(env, 'import', writePets('one.ndjson', 1))
    expect(await stream.next()).toBeNull()
  })

  it('creations during an import with ids neither fail nor take its ids', async () => {
    const env = await createPostgres()
    const { client } = await startServer(env)
    const lines = Array.from({ length: 5_000 }, (_, index) => `${index + 1_000},Rex,1`)
    const importing = run(env, 'import', writeLines('a.csv', ['id,name,categoryId', ...lines]), '--keep-ids')
    const state = { isDone: false }
    void importing.finally(() => (state.isDone = true))
    const created: number[] = []
    while (!state.isDone) {
      const { status, json } = await client.createPet({ name: 'Max', categoryId: 1 })
      expect(status).toBe(201)
      created.push((json as { id: number }).id)
    }
    expect((await importing).status).toBe(0)
    expect(created.filter((id) => id >= 1_000 && id < 6_000)).toEqual([])
    expect(idOf(await client.createPet({ name: 'Max', categoryId: 1 }))).toMatch(/^6\d{3}$/)
    expect(await exportLines(env)).toHaveLength(5_000 + created.length + 1)
  })
})

it(
  'an export that loses its connection leaves no file, and names the variable of its URL',
  { tags: 'slow' },
  async () => {
    const { DATABASE_URL } = await createPostgres()
    const lock = await lockPets(DATABASE_URL)
    const env = { DATABASE_URL: `${DATABASE_URL}?pooler=transaction`, DATABASE_LISTEN_URL: DATABASE_URL }
    const file = join(here, 'lost.csv')
    const exporting = run(env, 'export', file)
    await lock.waitFor(1)
    await lock.terminateWaiting()
    const { status, stderr } = await exporting
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('The database in DATABASE_LISTEN_URL cannot'),
    ])
    expect(readdirSync(here)).toEqual([])
  },
)

it.each(['import', 'export'])(
  'a file that does not exist, or cannot be created, is named by %s',
  async (command) => {
    const file = join(here, 'missing', 'pets.csv')
    const { status, stderr } = await run(await createPostgres(), command, file)
    expect([status, stderr]).toEqual([1, expect.stringContaining(file)])
  },
)

it.each([
  ['a file that does not exist', 'missing.csv'],
  ['a directory', '.'],
])('an import of %s creates no database', async (_, name) => {
  const file = join(here, name)
  const { status, stderr } = await run({ DATA_DIR: join(here, 'data') }, 'import', file, '--format', 'csv')
  expect([status, stderr]).toEqual([1, expect.stringContaining(`Cannot read ${file}: `)])
  expect(readdirSync(here)).toEqual([])
})
