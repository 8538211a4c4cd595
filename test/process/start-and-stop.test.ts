/** Startup on Postgres, and shutdown. */
import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../support/client.ts'
import { useDatabase } from '../support/database.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort, listenOnLoopback } from '../support/free-port.ts'
import {
  preload,
  ROOT,
  run,
  startCommand,
  startProgram,
  startShell,
  stopProgram,
} from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { lockPets } from '../support/table-lock.ts'

const database = useDatabase()
let env: Record<string, string>
beforeEach(() => {
  env = { ...database.env, API_KEYS: `test:${KEY}` }
})

it.each([
  ['PORT', /Cannot listen on HOST .*, PORT 0*\d+: .*in use/],
  ['METRICS_PORT', /METRICS_PORT \d+: .*in use.*METRICS_PORT to a free port/s],
])(
  'if %s is in use, the error says so and what to do, and the process exits with 1',
  async (variable, text) => {
    const other = createServer()
    onTestFinished(() => void other.close())
    const port = String(await listenOnLoopback(other))
    const { status, stderr } = await run({ ...env, [variable]: port })
    expect([status, stderr]).toEqual([1, expect.stringMatching(text)])
    expect(stderr).toContain(port)
  },
)

it('on Postgres there are no demo pets and no demo key', async () => {
  const program = startProgram(env)
  const url = await program.ready
  const client = createClient(url, KEY)
  expect((await client.send('/v1/pets')).json).toEqual([])
  expect(program.stdout).toEqual([`Pet Store is ready at ${url}`])
  const { text } = await client.send('/graphql', { key: null, headers: { accept: 'text/html' } })
  expect(text.includes(KEY)).toBe(false)
})

it.each(['SIGTERM', 'SIGINT'] as const)(
  'after %s, requests in flight are answered, other connections are closed or refused, and the process exits with 0',
  async (signal) => {
    const program = startProgram(env)
    const url = await program.ready
    const silent = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
    await once(silent, 'connect')
    const lock = await lockPets(database.env.DATABASE_URL)
    // Another agent would ask the server to close the connection.
    const client = createClient(url, KEY, { agent: new Agent({ keepAlive: true }) })
    const inFlight = client.createPet({ name: 'last', categoryId: 1 })
    await lock.waitFor(1)
    inFlight.catch(() => undefined)
    const stopped = stopProgram(program, signal)
    // The server closes it, not the process by its end: the request is still in flight.
    await once(silent.resume(), 'close')
    expect(await isRefused(url)).toBe(true)
    await lock.release()
    expect(await inFlight).toMatchObject({ status: 201, headers: { connection: 'close' } })
    expect(await stopped).toBe(0)
  },
)

it(
  'during SHUTDOWN_DELAY /readyz is 503 and everything is served; then only open connections are',
  { tags: 'slow' },
  async () => {
    const program = startProgram({ ...env, SHUTDOWN_DELAY: '2' })
    const url = await program.ready
    const client = createClient(url, KEY)
    const stream = await subscribe(url, KEY, 'subscription { petChanged { kind pet { name } } }')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const getKeptAlive = async (path: string) => {
      const request = get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${KEY}` } })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      await once(response.resume(), 'end')
      return [response.statusCode, response.headers.connection, request.reusedSocket]
    }
    expect(await getKeptAlive('/v1/pets')).toEqual([200, 'keep-alive', false])

    program.child.kill('SIGTERM')
    await eventually(async () =>
      expect((await client.send('/readyz')).json).toMatchObject({ code: 'SHUTTING_DOWN', status: 503 }),
    )
    const late = { name: 'late', categoryId: 1 }
    expect(await client.createPet(late)).toMatchObject({ status: 201 })
    expect(await stream.next()).toEqual({ data: { petChanged: { kind: 'created', pet: { name: 'late' } } } })
    expect((await client.send('/healthz')).status).toBe(200)
    expect(await getKeptAlive('/v1/pets')).toEqual([200, 'keep-alive', true])

    await eventually(async () => expect(await isRefused(url)).toBe(true))
    expect(await stream.next()).toBeNull()
    expect(await getKeptAlive('/v1/pets')).toEqual([200, 'close', true])
    expect(await program.ended).toBe(0)
  },
)

/** The signal arrives instead of what listening calls. */
const endBeforeListening = `import { Server } from 'node:net'
  Server.prototype.listen = function () {
    setInterval(() => undefined, 60_000)
    process.kill(process.pid, 'SIGTERM')
    return this
  }`

it('a server that is stopped before it listens exits with 0 at once', async () => {
  const program = startProgram({ ...env, NODE_OPTIONS: preload(endBeforeListening) })
  expect([await program.ended, program.stdout, program.stderr]).toEqual([0, [], []])
})

/** Whether a new connection is refused. */
function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.once('connect', () => socket.destroy())
    socket.once('error', () => resolve(true))
    socket.once('close', () => resolve(false))
  })
}

it.each([
  ['whose stdout has no reader', '> >(head -n 0)', 3],
  ['whose log has no reader', '2> >(head -n 0)', 3],
  ['whose log has a reader of one line', '2> >(head -n 1)', 3],
  ['whose output has no reader', '> >(head -n 0) 2> >(head -n 0)', 3],
  ['whose output, which is one, has no reader', '> >(head -n 0) 2>&1', 3],
  ['whose log is on a full disk', '2>/dev/full', 600],
  // More lines than the pipe holds.
  ['whose log is not read', '2> >(exec sleep 60)', 600],
])('a server %s serves, and ends at SIGTERM', { tags: 'slow' }, async (_, redirection, requests) => {
  const port = await findFreePort()
  const program = startShell(`exec $PETSTORE ${redirection}`, { ...env, PORT: String(port) })
  const client = createClient(`http://127.0.0.1:${port}`, KEY)
  await eventually(async () => expect((await client.send('/readyz')).status).toBe(200))
  // Each has a line in the log.
  for (let count = 0; count < requests; count += 1) expect((await client.send('/healthz')).status).toBe(200)
  const exited = once(program.child, 'exit')
  program.child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})

it.each(['keys create shop', '--help', 'serve --help'])(
  'a command whose output cannot be written exits with 1, without a stack: %s',
  { tags: 'slow' },
  async (args) => {
    const { child, ended, stderr } = startProgram(env, args.split(' '))
    child.stdout?.destroy()
    expect(await ended).toBe(1)
    expect(stderr.filter((line) => /^\s+at |node:/.test(line))).toEqual([])
  },
)

it('npm start passes the signal on and exits with 0', async () => {
  const npm = startCommand('npm', ['start'], { cwd: ROOT, env, detached: true })
  await npm.ready
  expect(await stopProgram(npm)).toBe(0)
})
