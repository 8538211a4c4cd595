/** The commands import and export, on both databases. */
import {
  chmodSync,
  cpSync,
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
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { PostgresDatabase } from '../../src/db/postgres-database.ts'
import { openInput } from '../../src/transfer/files.ts'
import { importItems } from '../../src/transfer/import-items.ts'
import { petResource } from '../../src/pets/pet-resource.ts'
import { eventSources } from '../../src/server/resources.ts'
import { toConfig } from '../support/address.ts'
import { createClient, idOf } from '../support/client.ts'
import { createMigratedDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { subscribe } from '../support/event-stream.ts'
import { endPrograms, run, startProgram, startShell } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { lockPets } from '../support/table-lock.ts'

const directory = useDirectory()
/** The directory of this test. */
let here: string
const emptyData = join(directory, 'empty')
beforeAll(async () => {
  expect((await run({ DATA_DIR: emptyData }, 'migrate')).status).toBe(0)
})
beforeEach(() => {
  here = mkdtempSync(join(directory, 'test-'))
})
afterEach(endPrograms)

type Env = Record<string, string>

/** A copy of an empty database, because making one takes seconds. */
async function createEmbedded(): Promise<{ DATA_DIR: string }> {
  const env = { DATA_DIR: join(here, 'data') }
  cpSync(emptyData, env.DATA_DIR, { recursive: true })
  return env
}

async function createPostgres(): Promise<{ DATABASE_URL: string }> {
  const database = await createMigratedDatabase()
  onTestFinished(() => database.remove())
  return database.env
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
  'é'.repeat(32_768),
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

it('the pets of the embedded database move to Postgres byte for byte, as the guide says, in both formats', async () => {
  const embedded = await createEmbedded()
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
})

it.each<[string, () => Promise<Env>]>([
  ['the embedded database', createEmbedded],
  ['Postgres', createPostgres],
])(
  'on %s, 10,001 pets get their ids in the order of the file, and every index is there afterwards',
  async (_, createEnv) => {
    const env = await createEnv()
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
  },
)

// The statements are the same on both databases.
describe('on Postgres,', () => {
  let env: Env
  beforeEach(async () => {
    env = await createPostgres()
  })

  it('an import with a bad line imports nothing', async () => {
    const lines = ['name,categoryId', ...Array.from({ length: 5_000 }, () => 'Rex,1'), 'Max,x']
    const { status, stderr } = await run(env, 'import', writeLines('bad.csv', lines))
    expect(status).toBe(1)
    expect(stderr).toContain('line 5002: categoryId must be an integer')
    expect(stderr).toContain('Nothing was imported.')
    expect(await exportLines(env)).toEqual([])
  })

  it('--skip-bad imports the other lines, and names the first 100 bad ones', async () => {
    const bad = Array.from({ length: 150 }, (_, index) => (index === 1 ? '"Rex\r\nMax",7,sold' : 'Rex,x,'))
    const file = writeLines('bad.csv', ['name,categoryId,status', ...bad])
    const { status, stderr } = await run(env, 'import', file, '--skip-bad')
    expect(status).toBe(0)
    const named = stderr.split('\n').filter((line) => line.startsWith('line '))
    expect(named).toHaveLength(100)
    expect(named[0]).toMatch(/^line 2: categoryId/)
    // The good one takes two lines.
    expect(named[1]).toMatch(/^line 5: categoryId/)
    expect(stderr).toContain('… and 49 more bad lines')
    expect(stderr).toMatch(/Imported 1 pet in .* Skipped 149 bad lines\./)
    expect(await exportLines(env)).toEqual(['{"id":1,"name":"Rex\\r\\nMax","categoryId":7,"status":"sold"}'])
  })

  it('--keep-ids names ids that are taken', async () => {
    await run(env, 'import', writeLines('a.csv', ['id,name,categoryId', '5,Rex,1']), '--keep-ids')
    const file = writeLines('b.csv', ['id,name,categoryId', '7,Max,1', '5,Rex,1', '7,Tom,1', ',Ann,1'])
    const all = await run(env, 'import', file, '--keep-ids')
    expect(all.status).toBe(1)
    expect(all.stderr).toContain('line 5: id is missing')
    const { status, stderr } = await run(env, 'import', file, '--keep-ids', '--skip-bad')
    expect(status).toBe(0)
    expect(stderr.split('\n').filter((line) => line.startsWith('line '))).toEqual([
      'line 3: A pet with id 5 already exists.',
      'line 4: The id 7 is also on line 2.',
      expect.stringContaining('line 5: id is missing'),
    ])
    expect(await exportLines(env)).toHaveLength(2)
  })

  it('of many ids that are taken, --keep-ids names the first', async () => {
    const lines = Array.from({ length: 120 }, (_, index) => `${index + 1},Rex,1`)
    const file = writeLines('a.csv', ['id,name,categoryId', ...lines])
    expect((await run(env, 'import', file, '--keep-ids')).status).toBe(0)
    const { status, stderr } = await run(env, 'import', file, '--keep-ids')
    expect(status).toBe(1)
    expect(stderr).toContain('line 2: A pet with id 1 already exists.\n… and 119 more bad lines')
  })

  it('an import with ids moves the sequence beyond them; one of none, of negative or of lower ids leaves it', async () => {
    /** The ids of an import, and the id of the next pet without one. */
    const cases: [ids: string[], next: string][] = [
      [[], '1'],
      [['-3'], '2'],
      [['7', '40'], '41'],
      [['9'], '42'],
      [[maxKept], '9223371036854775808'],
    ]
    const next = writeLines('next.csv', ['name,categoryId', 'next,1'])
    for (const [ids] of cases) {
      const file = writeLines('ids.csv', ['id,name,categoryId', ...ids.map((id) => `${id},Rex,1`)])
      expect((await run(env, 'import', file, '--keep-ids')).status).toBe(0)
      expect((await run(env, 'import', next)).status).toBe(0)
    }
    const created = (await exportLines(env)).filter((line) => line.includes('"next"'))
    expect(created.map((line) => /\d+/.exec(line)?.[0])).toEqual(cases.map(([, id]) => id))
  })
})

it('an export that is killed leaves what was there before, or has written all of it', async () => {
  const PETS = 50_000
  const env = await createPostgres()
  const sql = postgres(env.DATABASE_URL, { max: 1 })
  onTestFinished(() => sql.end())
  await sql`insert into pets (name, category_id) select 'pet ' || n, 1 from generate_series(1, ${PETS}) as n`
  const file = join(here, 'pets.csv')
  for (const [index, bytes] of [0, 0, 1, 10_000, 100_000, 300_000, 500_000, 700_000, 900_000].entries()) {
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

it('an export whose reader goes away fails, and says that it is incomplete', async () => {
  const env = await createPostgres()
  await run(env, 'import', writePets('many.ndjson', 20_000))
  const { ended, stdout, stderr } = startShell('$PETSTORE export | head -n 1', env)
  expect(await ended).toBe(1)
  expect(stdout).toEqual(['{"id":1,"name":"pet 1","categoryId":1}'])
  expect(stderr).toEqual(['The export failed: stdout is incomplete.', 'Cannot write to stdout: write EPIPE.'])
})

it('an export replaces a file only with --force, but writes to what is no file', async () => {
  const env = await createPostgres()
  await run(env, 'import', writePets('one.ndjson', 1))
  const file = writeLines('mine.csv', ['mine'])
  expect(await run(env, 'export', file)).toMatchObject({
    status: 1,
    stderr: `${file} exists already. Choose another name, or replace it with --force.`,
  })
  expect(readFileSync(file, 'utf8')).toBe('mine\n')
  expect((await run(env, 'export', file, '--force')).status).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('id,name,categoryId,status\n1,pet 1,1,\n')
  expect(readdirSync(here)).toHaveLength(2)
  const link = join(here, 'link.csv')
  symlinkSync(file, link)
  chmodSync(file, 0o600)
  expect((await run(env, 'export', link, '--force')).status).toBe(0)
  expect([readlinkSync(link), statSync(file).mode & 0o777]).toEqual([file, 0o600])
  expect((await run(env, 'export', '/dev/null', '--format', 'csv')).status).toBe(0)
})

describe('on Postgres, while a server runs,', () => {
  it('an import of 50 pets sends 50 events, and one of 101 ends the stream', async () => {
    const env = await createPostgres()
    const { url } = await startServer(env)
    const stream = await subscribe(url, KEY, 'subscription { petChanged { pet { name } } }')
    onTestFinished(() => stream.abort())
    await run(env, 'import', writePets('some.ndjson', 50))
    for (let number = 1; number <= 50; number += 1)
      expect(await stream.next()).toEqual({ data: { petChanged: { pet: { name: `pet ${number}` } } } })
    await run(env, 'import', writePets('many.ndjson', 101))
    // If the stream went on, this would be its next event.
    await run(env, 'import', writePets('one.ndjson', 1))
    expect(await stream.next()).toBeNull()
  })

  it('two imports that find an empty table at once, and want to drop its indexes, succeed one after the other', async () => {
    const { DATABASE_URL: url } = await createPostgres()
    const databases = [1, 2].map(() => new PostgresDatabase(toConfig(url), eventSources, { migrates: true }))
    const sql = postgres(url, { max: 1 })
    onTestFinished(async () => {
      await Promise.all([...databases.map((database) => database.close()), sql.end()])
    })
    const isWaiting = async () =>
      (
        await sql`
          select from pg_locks
          where relation = 'pets'::regclass and not granted
            and database = (select oid from pg_database where datname = current_database())`
      ).length > 0
    // The one that has looked first goes on when the other has looked too, or waits for it.
    let looks = 0
    let catalogReads = 0
    for (const database of databases) {
      await database.open({ onProblem: () => undefined })
      const connection = await database.connect()
      const query = connection.query.bind(connection)
      connection.query = async (statement) => {
        const rows = await query(statement)
        if (statement.name === 'findIndexes') catalogReads += 1
        if (statement.name !== 'findAnyPet') return rows
        looks += 1
        await eventually(async () => expect(looks === 2 || (await isWaiting())).toBe(true))
        return rows
      }
      database.connect = () => Promise.resolve(connection)
    }
    const options = { resource: petResource, format: 'ndjson', keepIds: false, skipsBad: false } as const
    const file = writePets('many.ndjson', 10_001)
    const imports = databases.map(async (database) => importItems(database, await openInput(file), options))
    expect(await Promise.all(imports)).toMatchObject([{ items: 10_001 }, { items: 10_001 }])
    // Postgres may fail to read the definition of an index that is being dropped.
    expect(catalogReads).toBe(1)
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

it('an export that loses its connection says that its file is incomplete, and names the variable of its URL', async () => {
  const { DATABASE_URL } = await createPostgres()
  const lock = await lockPets(DATABASE_URL)
  const env = { DATABASE_URL: `${DATABASE_URL}?pooler=transaction`, DATABASE_LISTEN_URL: DATABASE_URL }
  const file = join(here, 'lost.csv')
  const exporting = run(env, 'export', file)
  await lock.waitFor(1)
  await lock.terminateWaiting()
  const { status, stderr } = await exporting
  expect([status, stderr]).toEqual([1, expect.stringContaining('The database in DATABASE_LISTEN_URL cannot')])
  expect(stderr).toContain(`The export failed: ${file} was not written.`)
  expect(readdirSync(here)).toEqual([])
})

it.each(['import', 'export'])('a file that is not there, or cannot be, is named by %s', async (command) => {
  const file = join(here, 'missing', 'pets.csv')
  const { status, stderr } = await run(await createPostgres(), command, file)
  expect([status, stderr]).toEqual([1, expect.stringContaining(file)])
})
