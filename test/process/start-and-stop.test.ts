/** Configuration, start on Postgres, and how a process ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openDatabase } from '../../src/db/connect.ts'
import { createClient } from '../support/client.ts'
import { endPrograms, startProgram } from '../support/process.ts'
import { createPostgresDatabase } from '../support/service.ts'

const KEY = 'test-secret'
const root = join(import.meta.dirname, '..', '..')
let database: Awaited<ReturnType<typeof createPostgresDatabase>>
let env: Record<string, string>
beforeEach(async () => {
  database = await createPostgresDatabase()
  env = { ...database.env, API_KEYS: `test:${KEY}` }
})
afterEach(async () => {
  await endPrograms()
  await database.remove()
})

it('a bad configuration is reported whole, and nothing is opened', async () => {
  const program = startProgram({
    PORT: '70000',
    DATABASE_URL: 'mysql://x',
    API_KEYS: 'nameonly',
    LOG_LEVEL: 'loud',
  })
  expect(await program.ended).toBe(1)
  const report = program.stderr.join('\n')
  for (const variable of ['PORT', 'DATABASE_URL', 'API_KEYS', 'LOG_LEVEL'])
    expect(report).toContain(`- ${variable}`)
  expect(program.stdout).toEqual([])
})

it.each([
  [['fly'], /Unknown command: fly/],
  [['--fly'], /fly.*Usage/s],
])('a bad command line is answered with the usage: %j', async (args, expected) => {
  const program = startProgram(env, args)
  expect(await program.ended).toBe(1)
  expect(program.stderr.join('\n')).toMatch(expected)
})

it('--help prints the usage', async () => {
  const program = startProgram({}, ['--help'])
  expect(await program.ended).toBe(0)
  expect(program.stdout.join('\n')).toContain('Usage: npm run petstore')
})

it('a port that is taken, and a Postgres that is not there, are named with what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const onPort = startProgram({ ...env, PORT: String(port) })
  expect(await onPort.ended).toBe(1)
  expect(onPort.stderr.join('\n')).toMatch(new RegExp(`PORT ${port} cannot be listened on.*in use`))

  const unreachable = startProgram({ ...env, DATABASE_URL: `postgres://user:hush@127.0.0.1:${port}/none` })
  taken.close()
  expect(await unreachable.ended).toBe(1)
  expect(unreachable.stderr.join('\n')).toMatch(/DATABASE_URL.*cannot be used/)
  expect(unreachable.stderr.join('\n')).not.toContain('hush')
})

it('on Postgres there are no demo animals and no demo key', async () => {
  const program = startProgram(env)
  const url = await program.ready
  expect((await createClient(url, KEY).send('/v1/pets')).json).toEqual([])
  expect(program.stdout).toEqual([`Pet Store is ready at ${url}`])
  const { text } = await createClient(url, KEY).send('/graphql', {
    key: null,
    headers: { accept: 'text/html' },
  })
  expect(text.includes(KEY)).toBe(false)
})

it('several instances start at once on an empty Postgres, and share it', async () => {
  const urls = await Promise.all([1, 2, 3, 4].map(() => startProgram(env).ready))
  const clients = urls.map((url) => createClient(url, KEY))
  await Promise.all(
    clients.map((client, index) =>
      client.send('/v1/pets', { method: 'POST', body: { name: 'x', categoryId: index } }),
    ),
  )
  for (const client of clients) expect((await client.send('/v1/pets')).json).toHaveLength(4)
})

it('whoever else migrates at the same moment is waited for', async () => {
  const url = database.env.DATABASE_URL ?? ''
  const opened = await Promise.all(Array.from({ length: 8 }, () => openDatabase(url)))
  await Promise.all(opened.map((instance) => instance.close()))
})

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: what is under way is answered, new work is refused, exit 0',
  async (signal) => {
    const program = startProgram(env)
    const client = createClient(await program.ready, KEY)
    const sql = postgres(database.env.DATABASE_URL ?? '', { max: 2 })
    const { promise: locked, resolve: lock } = Promise.withResolvers<undefined>()
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    const transaction = sql.begin(async (tx) => {
      await tx`lock table pets in access exclusive mode`
      lock(undefined)
      await released
    })
    await locked

    const underWay = client.send('/v1/pets', { method: 'POST', body: { name: 'last', categoryId: 1 } })
    await vi.waitFor(async () => {
      expect(await sql`select from pg_locks where relation = 'pets'::regclass and not granted`).toHaveLength(
        1,
      )
    })
    expect((await client.send('/readyz')).status).toBe(200)
    program.child.kill(signal)
    await vi.waitFor(async () => expect((await client.send('/readyz')).status).toBe(503))

    const refused = await client.send('/v1/pets')
    expect([refused.status, refused.json]).toMatchObject([503, { code: 'SHUTTING_DOWN', status: 503 }])
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '1' })
    expect((await client.send('/healthz')).status).toBe(200)

    release(undefined)
    await transaction
    await sql.end()
    expect(await underWay).toMatchObject({ status: 201, json: { name: 'last' } })
    expect(await program.ended).toBe(0)
  },
)

it('a slow client does not keep it from ending', async () => {
  const program = startProgram(env)
  const { port } = new URL(await program.ready)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test-secret\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  )
  await once(socket, 'connect')
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})

it('slow headers and slow bodies are cut off with 408', async () => {
  const client = createClient(await startProgram(env).ready, KEY)
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`
  const answers = await Promise.all([client.raw(head), client.raw(`${head}Content-Length: 9\r\n\r\n{`)])
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"')
  }
})

it('npm start hands the signal on, and ends with 0', async () => {
  const npm = spawn('npm', ['start'], {
    cwd: root,
    // Not all of ours: Vitest has a BASE_URL of its own.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(npm, 'exit')
  for await (const line of createInterface({ input: npm.stdout })) if (line.includes('ready')) break
  npm.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
