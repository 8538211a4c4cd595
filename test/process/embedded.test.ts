/** The embedded database: its first start, its demo key, and its lock. */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { OperatorError } from '../../src/base/operator-error.ts'
import { withDatabase } from '../../src/commands/database/with-database.ts'
import { readConfig } from '../../src/config/config.ts'
import { EmbeddedDatabase } from '../../src/db/embedded/embedded-database.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { startServer } from '../../src/server/server.ts'
import { eventSources } from '../../src/server/resources.ts'
import { createClient, type TestClient } from '../support/client.ts'
import { connectToEmbedded, copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort, listenOnLoopback } from '../support/free-port.ts'
import {
  demoKeyOf,
  endPrograms,
  preload,
  type Program,
  run,
  startProgram,
  startShell,
  stopProgram,
} from '../support/process.ts'
import { KEY } from '../support/service.ts'

const directory = useDirectory()
/** The data directory of this test, which does not exist yet. */
let data: string
beforeEach(() => {
  data = join(mkdtempSync(join(directory, 'test-')), 'data')
})
afterEach(endPrograms)

const start = (env: Record<string, string> = {}) => startProgram({ DATA_DIR: data, ...env })
/** @returns a client with the demo key */
const connect = async (program: Program) => createClient(await program.ready, demoKeyOf(program))
const stop = async (program: Program) => expect(await stopProgram(program)).toBe(0)
/** As a browser on this machine asks for a page. */
const getPage = (client: TestClient, path: string) =>
  client.send(path, { key: null, headers: { accept: 'text/html', connection: 'keep-alive' } })

it('the first start creates demo pets and a demo key, and prints a curl command that works', async () => {
  const program = start()
  const client = await connect(program)
  // No log stands amid the text for people.
  expect(program.stderr).toEqual([])
  expect((await client.send('/readyz')).status).toBe(200)
  expect(program.stdout.filter((line) => line.includes('ready'))).toHaveLength(1)

  const curl = program.stdout.find((line) => line.includes('curl '))?.replace(/^.*?curl/, 'curl -s')
  const { stdout } = await promisify(execFile)('sh', ['-c', curl ?? 'false'])
  expect(JSON.parse(stdout)).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    { id: 2, name: 'Luna', categoryId: 2, status: 'available' },
    { id: 3, name: 'Kiwi', categoryId: 3, status: 'pending' },
  ])
  expect((await client.send('/v1/pets?limit=100')).json).toHaveLength(25)
  expect(statSync(join(data, 'demo-key')).mode & 0o777).toBe(0o600)
  expect(statSync(data).mode & 0o777).toBe(0o700)
  // A second key, for browsers, only reads.
  const readKey = readFileSync(join(data, 'demo-read-key'), 'utf8').trim()
  expect(program.stdout.some((line) => line.includes(readKey))).toBe(true)
  const reader = createClient(await program.ready, readKey)
  expect([
    (await reader.send('/v1/pets')).status,
    (await reader.createPet({ name: 'No', categoryId: 1 })).status,
  ]).toEqual([200, 403])
  const key = demoKeyOf(program)
  expect(program.stderr.join('\n')).not.toContain(key)
  // No page has the key that writes; the printed addresses have it.
  for (const path of ['/', '/docs', '/graphql']) {
    const { text } = await getPage(client, path)
    expect([path, text.includes(key), text.includes(readKey)]).toEqual([path, false, true])
    expect(program.stdout.join('\n')).toContain(`${await program.ready}${path}#key=${key}\n`)
  }
})

it.each(['opens', 'creates'])(
  'a server that is stopped while it %s its database exits with 0',
  { tags: 'slow' },
  async (does) => {
    if (does === 'opens') copyDataDirectory(data)
    const program = start({ API_KEYS: `ann:${KEY}` })
    await program.listening
    await stop(program)
    expect(program.stderr.filter((line) => !line.startsWith('{'))).toEqual([])
    if (does === 'opens') expect(program.stdout).toEqual([])
  },
)

it('while the data directory is elsewhere, the database is unavailable, as on a full disk', async () => {
  const client = await connect(start())
  const ask = async () => {
    const { status, json } = await client.send('/v1/pets?limit=1')
    return [status, (json as { code?: string }).code]
  }
  renameSync(data, `${data}-2`)
  expect(await ask()).toEqual([503, 'DATABASE_UNAVAILABLE'])
  renameSync(`${data}-2`, data)
  expect(await ask()).toEqual([200, undefined])
})

it('the second start has the same key and the same pets, and deleted demo pets stay deleted', async () => {
  copyDataDirectory(data)
  const first = start()
  const client = await connect(first)
  const pets = (await client.send('/v1/pets?limit=100')).json as { id: number }[]
  await Promise.all(pets.map(({ id }) => client.deletePet(String(id))))
  expect((await client.send('/v1/pets')).json).toEqual([])
  await stop(first)

  const second = start()
  expect((await (await connect(second)).send('/v1/pets')).json).toEqual([])
  expect(demoKeyOf(second)).toBe(demoKeyOf(first))
  await stop(second)
})

it(
  'a start that is cancelled while it creates the database leaves none, and the next one begins again',
  { tags: 'slow' },
  async () => {
    const database = startEmbeddedPostgres(data)
    await database.close()
    await expect(database.address).rejects.toThrow('exited before it was listening')
    expect(existsSync(join(data, 'postgres'))).toBe(false)
    const again = startEmbeddedPostgres(data)
    await again.address
    await again.close()
  },
)

it(
  'a process that is killed while it creates the database begins again with its next start',
  { tags: 'slow' },
  async () => {
    // What it leaves: a part of the files, under the name of a draft.
    mkdirSync(join(data, 'postgres.new', 'base'), { recursive: true })
    writeFileSync(join(data, 'postgres.new', 'PG_VERSION'), '18')
    const killed = start()
    await eventually(() => expect(existsSync(join(data, 'demo-key'))).toBe(true))
    killed.child.kill('SIGKILL')
    await killed.ended

    const client = await connect(start())
    expect((await client.send('/v1/pets?limit=100')).json).toHaveLength(25)
    expect(readdirSync(data)).not.toContain('postgres.new')
  },
)

it(
  'a server whose reader goes away after the first line, which is not the last, goes on serving',
  { tags: 'slow' },
  async () => {
    copyDataDirectory(data)
    const port = await findFreePort()
    const env = { DATA_DIR: data, PORT: String(port), API_KEYS: `test:${KEY}` }
    const program = startShell('exec $PETSTORE > >(head -n 1)', env)
    const client = createClient(`http://127.0.0.1:${port}`, KEY)
    await eventually(async () => expect((await client.send('/readyz')).status).toBe(200))
    expect((await client.send('/v1/pets')).status).toBe(200)
    await stop(program)
  },
)

/** Lets a test count the intervals that are left. */
function watchIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

it('a server that cannot listen leaves nothing running', async () => {
  copyDataDirectory(data)
  const other = createServer()
  onTestFinished(() => void other.close())
  const port = await listenOnLoopback(other)
  const config = readConfig({ DATA_DIR: data, PORT: String(port), LOG_LEVEL: 'silent' })
  watchIntervals()
  const output = { onProgress: () => undefined, log: { write: () => undefined } }
  await expect(startServer(config, output)).rejects.toThrow(String(port))
  expect(vi.getTimerCount()).toBe(0)
})

it('a database that is closed while it is opened leaves no timer', { tags: 'slow' }, async () => {
  copyDataDirectory(data)
  watchIntervals()
  const database = new EmbeddedDatabase(startEmbeddedPostgres(data), eventSources)
  const opened = database.open()
  await database.close()
  await opened
  expect(vi.getTimerCount()).toBe(0)
})

it('a server whose database has stopped by itself completes its streams, says what to do, and exits with 1', async () => {
  copyDataDirectory(data)
  const program = start({ API_KEYS: `ann:${KEY}`, NODE_OPTIONS: preload(endDatabaseAtSignal) })
  const url = await program.ready
  const stream = await subscribe(url, KEY, 'subscription { petChanged { kind } }')
  program.child.kill('SIGUSR2')
  expect(await stream.next()).toBeNull()
  expect(await program.ended).toBe(1)
  expect(program.stderr.filter((line) => !line.startsWith('{'))).toEqual([
    `The embedded database in ${data} has stopped: the database thread exited with code 1.`,
    expect.stringContaining('Start the server again'),
  ])
})

/** The thread of the database ends at SIGUSR2. */
const endDatabaseAtSignal = `import { Worker } from 'node:worker_threads'
  const { once } = Worker.prototype
  Worker.prototype.once = function (...args) {
    process.once('SIGUSR2', () => this.terminate())
    return once.apply(this, args)
  }`

it(
  'a database that has stopped by itself can be closed, and its directory used again',
  { tags: 'slow' },
  async () => {
    copyDataDirectory(data)
    const started = vi.spyOn(Worker.prototype, 'once')
    onTestFinished(() => started.mockRestore())
    const database = startEmbeddedPostgres(data)
    await database.address
    await (started.mock.contexts[0] as Worker).terminate()
    const noticed = await Promise.race([database.failed, nextTurn('nothing')])
    expect(noticed).toMatchObject({ message: 'the database thread exited with code 1' })
    await database.close()
    await startEmbeddedPostgres(data).close()
  },
)

it('a database that fails while it is closed has not stopped by itself', { tags: 'slow' }, async () => {
  copyDataDirectory(data)
  const started = vi.spyOn(Worker.prototype, 'once')
  onTestFinished(() => started.mockRestore())
  const database = startEmbeddedPostgres(data)
  await database.address
  const closing = database.close()
  ;(started.mock.contexts[0] as Worker).emit('error', new Error('closed amid a statement'))
  await closing
  expect(await Promise.race([database.failed, nextTurn('nothing')])).toBe('nothing')
})

it('a command that fails has closed its database', async () => {
  copyDataDirectory(data)
  vi.stubEnv('DATA_DIR', data)
  // Vitest has one of its own.
  vi.stubEnv('BASE_URL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const failure = new OperatorError('failed')
  await expect(withDatabase(() => Promise.reject(failure))).rejects.toBe(failure)
  await startEmbeddedPostgres(data).close()
})

it(
  'statements that arrive at once on several connections are each executed, and answered to their sender',
  { tags: 'slow' },
  async () => {
    copyDataDirectory(data)
    const database = startEmbeddedPostgres(data)
    onTestFinished(() => database.close())
    const path = await database.address
    const connections = ['a', 'b', 'c'].map((name) => ({
      name,
      sql: connectToEmbedded(path),
    }))
    onTestFinished(async () => {
      await Promise.all(connections.map(({ sql }) => sql.end()))
    })
    const [{ sql: first } = expect.unreachable()] = connections
    await first`create table counts (name text, number int)`
    await Promise.all(
      connections.map(async ({ name, sql }) => {
        for (let number = 0; number < 100; number += 1)
          expect(await sql`insert into counts values (${name}, ${number}) returning name, number`).toEqual([
            { name, number },
          ])
      }),
    )
    expect(await first`select name, count(*)::int from counts group by name order by name`).toEqual(
      connections.map(({ name }) => ({ name, count: 100 })),
    )
  },
)

it('other programs may not connect: all connections share one session, in which they would change settings', async () => {
  copyDataDirectory(data)
  const program = start({ API_KEYS: `ann:${KEY}` })
  const client = createClient(await program.ready, KEY)
  const path = join(data, 'socket')
  const other = postgres({ path, user: 'postgres', database: 'postgres', max: 1 })
  onTestFinished(() => other.end())
  // What pg_dump does first, whatever it finds out later.
  await expect(other`select pg_catalog.set_config('search_path', '', false)`).rejects.toMatchObject({
    code: '28000',
    message: expect.stringContaining('embedded'),
  })
  expect((await client.send('/v1/pets')).status).toBe(200)
})

it('with API_KEYS there is no demo key, and GraphiQL has no key filled in', { tags: 'slow' }, async () => {
  const secrets = ['first-secret-of-two', 'second-secret-of-two'] as const
  const program = start({ API_KEYS: `ann:${secrets[0]}, bob:${secrets[1]}` })
  const client = createClient(await program.ready, secrets[0])
  expect(program.stdout.join('\n')).not.toContain('Bearer')
  expect(readdirSync(data).filter((file) => file.startsWith('demo'))).toEqual([])
  for (const key of secrets) expect((await client.send('/v1/pets', { key })).status).toBe(200)
  const { text } = await getPage(client, '/graphql')
  expect(secrets.some((secret) => text.includes(secret))).toBe(false)
})

it('another process on the same directory exits at once, and names the first', async () => {
  copyDataDirectory(data)
  const first = start()
  const client = await connect(first)
  for (const command of ['serve', 'keys create shop']) {
    const { status, stdout, stderr } = await run({ DATA_DIR: data }, ...command.split(' '))
    expect([command, status, stdout]).toEqual([command, 1, ''])
    const advice = `in use by process ${first.child.pid}.*Stop that process.*DATA_DIR`
    expect(stderr).toMatch(new RegExp(advice, 's'))
  }
  expect((await client.send('/v1/pets')).status).toBe(200)
})

it(
  'if several processes start at once on an empty directory, exactly one serves',
  { tags: 'slow' },
  async () => {
    const programs = [start(), start(), start()]
    const outcomes = await Promise.allSettled(programs.map(({ ready }) => ready))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  },
)

it.each(['a file', 'below a file', 'where none can be made'])(
  'for an unusable directory, the error names it and says what to do: %s',
  async (place) => {
    writeFileSync(data, 'a file')
    const DATA_DIR = place === 'a file' ? data : place === 'below a file' ? join(data, 'x', 'y') : '/sys/x/y'
    const { status, stderr } = await run({ DATA_DIR })
    expect([status, stderr]).toEqual([1, expect.stringContaining('DATA_DIR')])
    expect(stderr).toContain(`embedded database in ${DATA_DIR} cannot be used: `)
  },
)
