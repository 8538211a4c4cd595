/** Configuration, startup on Postgres, and shutdown. */
import { once } from 'node:events'
import { cpSync, mkdtempDisposableSync } from 'node:fs'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createClient, type TestClient } from '../support/client.ts'
import { useDatabase } from '../support/database.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { ROOT, startCommand, startProgram, stopProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { lockPets } from '../support/table-lock.ts'

const database = useDatabase()
let env: Record<string, string>
beforeEach(() => {
  env = { ...database.env, API_KEYS: `test:${KEY}` }
})

it('all configuration problems are reported at once, and the process exits with 1', async () => {
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
  [['fly'], /unknown command 'fly'.*Usage/s],
  [['--fly'], /fly.*Usage/s],
])('an invalid command line prints the usage, and the process exits with 2: %j', async (args, expected) => {
  const program = startProgram(env, args)
  expect(await program.ended).toBe(2)
  expect(program.stderr.join('\n')).toMatch(expected)
})

it.each([
  ['petstore', {}, 'petstore serve'],
  // npm names the script that it runs.
  ['npm run petstore --', { npm_lifecycle_event: 'petstore' }, 'npm start'],
])('--help prints the usage and an example, as it was started: %s', async (name, env, serve) => {
  const help = async (...args: string[]) => {
    const program = startProgram(env, [...args, '--help'])
    expect(await program.ended).toBe(0)
    return program.stdout.join('\n')
  }
  const usage = await help()
  expect(usage).toContain(`Usage: ${name} [options]`)
  expect(usage).toContain(`  ${name} keys list`)
  expect(await help('serve')).toContain(`PORT=8080 ${serve}`)
})

it('for a port in use, the error names it and says what to do, and the process exits with 1', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const program = startProgram({ ...env, PORT: String(port) })
  expect(await program.ended).toBe(1)
  expect(program.stderr.join('\n')).toMatch(new RegExp(`Cannot listen on HOST .*, PORT ${port}: .*in use`))
  other.close()
})

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
  'after %s, it serves for SHUTDOWN_DELAY, then answers requests in flight and exits with 0',
  async (signal) => {
    const program = startProgram({ ...env, SHUTDOWN_DELAY: '1' })
    const url = await program.ready
    const client = createClient(url, KEY)
    const lock = await lockPets(database.env.DATABASE_URL)
    const inFlight = client.createPet({ name: 'last', categoryId: 1 })
    await lock.waitFor(1)
    inFlight.catch(() => undefined)
    const served = readUntilRefused(client)
    const stopped = stopProgram(program, signal)
    expect(await served).toEqual(['503 SHUTTING_DOWN, served'])
    await lock.release()
    expect(await inFlight).toMatchObject({ status: 201, headers: { connection: 'close' } })
    expect(await stopped).toBe(0)
  },
)

it('during SHUTDOWN_DELAY /readyz is 503 and everything is served; then only open connections are', async () => {
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
  await eventually(async () => expect((await client.send('/readyz')).status).toBe(503))
  const late = { name: 'late', categoryId: 1 }
  expect(await client.createPet(late)).toMatchObject({ status: 201, headers: { connection: 'close' } })
  expect(await stream.next()).toEqual({ data: { petChanged: { kind: 'created', pet: { name: 'late' } } } })
  expect((await client.send('/healthz')).status).toBe(200)
  expect(await getKeptAlive('/v1/pets')).toEqual([200, 'keep-alive', true])

  await eventually(async () => expect(await isRefused(url)).toBe(true))
  expect(await stream.next()).toBeNull()
  expect(await getKeptAlive('/v1/pets')).toEqual([200, 'close', true])
  expect(await program.ended).toBe(0)
})

it('a connection that has sent nothing does not delay the end of the process', async () => {
  const program = startProgram(env)
  const url = new URL(await program.ready)
  const sockets = Array.from({ length: 3 }, () => connect(Number(url.port), url.hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.on('error', () => undefined)
  // The server closes them first, not the process by its end: a request on another connection is still in flight.
  const lock = await lockPets(database.env.DATABASE_URL)
  const inFlight = createClient(url.href, KEY).createPet({ name: 'last', categoryId: 1 })
  await lock.waitFor(1)
  program.child.kill('SIGTERM')
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  await lock.release()
  expect((await inFlight).status).toBe(201)
  expect(await program.ended).toBe(0)
})

/** What new connections get until the listener closes: what /readyz says while it does not answer 200, and whether others are served. */
async function readUntilRefused(client: TestClient): Promise<string[]> {
  const seen = new Set<string>()
  try {
    for (;;) {
      const { status, json } = await client.send('/readyz')
      if (status === 200) continue
      const isServed = (await client.send('/v1/openapi.json')).status === 200
      seen.add(`${status} ${(json as { code: string }).code}, ${isServed ? 'served' : 'not served'}`)
    }
  } catch (error) {
    // Reset: it waited in the kernel when the listener closed.
    expect(error).toMatchObject({ code: expect.stringMatching(/^ECONN(REFUSED|RESET)$/) })
  }
  return [...seen]
}

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

const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`

it('a client that is slow to send its request does not keep the process from exiting', async () => {
  const program = startProgram(env)
  const { port } = new URL(await program.ready)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`${head}Content-Length: 9\r\n\r\n{`)
  await once(socket, 'connect')
  expect(await stopProgram(program)).toBe(0)
})

it.each([
  ['stdout', '> >(head -n 0)'],
  ['stderr', '2> >(head -n 0)'],
  ['stderr, after a line', '2> >(head -n 1)'],
  ['both', '> >(head -n 0) 2> >(head -n 0)'],
  ['both, which are one,', '> >(head -n 0) 2>&1'],
])('a server goes on serving when the reader of its output goes away: %s', async (_, redirection) => {
  const port = await findFreePort()
  const line = `exec ${process.execPath} ${join(ROOT, 'bin', 'petstore.js')} ${redirection}`
  const program = startCommand('bash', ['-c', line], { env: { ...env, PORT: String(port) } })
  const client = createClient(`http://127.0.0.1:${port}`, KEY)
  await eventually(async () => expect((await client.send('/readyz')).status).toBe(200))
  // Each has a line in the log.
  for (let count = 0; count < 3; count += 1) expect((await client.send('/v1/pets')).status).toBe(200)
  expect(await stopProgram(program)).toBe(0)
})

it.each(['keys create shop', '--help', 'serve --help'])(
  'a command whose output cannot be written exits with 1, without a stack: %s',
  async (args) => {
    const { child, ended, stderr } = startProgram(env, args.split(' '))
    child.stdout?.destroy()
    expect(await ended).toBe(1)
    expect(stderr.filter((line) => /^\s+at |node:/.test(line))).toEqual([])
  },
)

it.each(['v16.20.2', 'v18.20.8', 'v20.20.0', 'v23.11.1'])(
  'on Node %s, the error says which is needed, before it loads anything that this one lacks',
  async (version) => {
    const checkout = mkdtempDisposableSync(join(tmpdir(), 'pet-store-'))
    onTestFinished(() => checkout.remove())
    cpSync(join(ROOT, 'bin'), join(checkout.path, 'bin'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(checkout.path, 'package.json'))
    const versions = `Object.defineProperty(process, 'versions', { value: { node: '${version.slice(1)}' } })`
    const text = `${versions}; Object.defineProperty(process, 'version', { value: '${version}' })`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(text)}` }
    const { ended, stderr } = startProgram(env, ['keys', 'list'], checkout.path)
    expect([await ended, stderr]).toEqual([1, [`Pet Store needs Node 24 or newer. This is ${version}.`]])
  },
)

it('before npm ci, the error says so', async () => {
  const checkout = mkdtempDisposableSync(join(tmpdir(), 'pet-store-'))
  onTestFinished(() => checkout.remove())
  for (const name of ['bin', 'build.js', 'package.json', 'src'])
    cpSync(join(ROOT, name), join(checkout.path, name), { recursive: true })
  const { ended, stderr } = startProgram(env, [], checkout.path)
  expect([await ended, stderr]).toEqual([1, ['The packages are missing. Run npm ci first.']])
})

it('npm start passes the signal on and exits with 0', async () => {
  const npm = startCommand('npm', ['start'], { cwd: ROOT, env, detached: true })
  await npm.ready
  expect(await stopProgram(npm)).toBe(0)
})

it.each([
  ['is on a full disk', '2>/dev/full'],
  // More lines than the pipe holds.
  ['is not read', '2> >(exec sleep 60)'],
])('a server whose log %s serves, and ends at SIGTERM', async (_, redirection) => {
  const petstore = join(ROOT, 'bin', 'petstore.js')
  const script = `exec "$0" "$1" serve ${redirection}`
  const program = startCommand('bash', ['-c', script, process.execPath, petstore], { env, detached: true })
  const client = createClient(await program.ready, KEY)
  for (let request = 0; request < 600; request++) expect((await client.send('/healthz')).status).toBe(200)
  const exited = once(program.child, 'exit')
  program.child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})
