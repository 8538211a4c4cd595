/**
 * The faults of the driver, postgres.js. A test that fails here may mean that one has been mended: then its workaround, in
 * src/workarounds/postgres.ts, can be removed.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { getHeapSpaceStatistics } from 'node:v8'
import postgres from 'postgres'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { Connection } from '../../../src/db/postgres/connections/connection.ts'
import {
  findFatalError,
  ignoreTargetSessionAttrs,
  keepNoStackTrace,
  requestCancel,
  sendAtOnce,
  takeRows,
} from '../../../src/workarounds/postgres.ts'
import { toHosts } from '../../support/address.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { findFreePort, listenOnLoopback } from '../../support/free-port.ts'
import { acceptLogins, EMPTY_ANSWER } from '../../support/postgres-login.ts'

afterEach(() => void vi.unstubAllEnvs())

/** A message of the server (PostgreSQL manual, 54.7). @param body its bytes, in Latin-1 */
function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}....${body}`, 'latin1')
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes.toString('latin1')
}
const authenticated = message('R', int32(0))
const ready = message('Z', 'I')
/** One column of type text. */
const description = message('T', `\0\x01n\0${int32(0)}\0\0${int32(25)}\0\0${int32(-1)}\0\0`)
const row = (value: string) => message('D', `\0\x01${int32(value.length)}${value}`)
const complete = message('C', 'SELECT 1\0')
const failure = (severity: string, code: string) => message('E', `V${severity}\0C${code}\0Mfailed\0\0`)

/** A Postgres that answers each simple query as the test says. @returns its port, and how often each client has sent something */
async function startPeer(answer: (query: string, socket: Socket) => Buffer[]) {
  const received: number[] = []
  const server = createServer((socket) => {
    const client = received.push(0) - 1
    let unread = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received[client] = (received[client] ?? 0) + 1
      if (received[client] === 1) return socket.write(Buffer.concat([authenticated, ready]))
      unread = Buffer.concat([unread, chunk])
      // A message is a type, its length and a text; a long one arrives in several chunks.
      while (unread.length > 5 && unread.readInt32BE(1) < unread.length) {
        const end = unread.readInt32BE(1) + 1
        const isQuery = unread.toString('latin1', 0, 1) === 'Q'
        if (isQuery) socket.write(Buffer.concat(answer(unread.toString('utf8', 5, end - 1), socket)))
        unread = unread.subarray(end)
      }
    })
  })
  onTestFinished(() => void server.close())
  return { port: await listenOnLoopback(server), received }
}

/** A client of the driver with one connection. */
function createSql(port: number, options: object = {}) {
  const sql = postgres({ host: '127.0.0.1', port, max: 1, fetch_types: false, user: 'u', ...options })
  onTestFinished(() => sql.end({ timeout: 0 }))
  return sql
}
const codeOf = (query: Promise<unknown>) =>
  query.then(
    () => null,
    (error: unknown) => error instanceof Error && 'code' in error && error.code,
  )

it('the result after an error amid rows begins with holes (#1119)', async () => {
  const answers = [
    [description, row('1'), failure('ERROR', '22012'), ready],
    [description, row('7'), complete, ready],
  ]
  const sql = createSql((await startPeer(() => answers.shift() ?? [])).port)
  expect(await codeOf(sql.unsafe('select').values())).toBe('22012')
  const rows = await sql.unsafe('select').values()
  expect(Object.entries(rows)).toContainEqual(['1', ['7']])
  expect(0 in rows).toBe(false)
})

it('a client whose connection ends in the login connects again without end, and its query waits (#1193)', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined).once('data', () => socket.destroy())
  })
  onTestFinished(() => void server.close())
  const query = codeOf(createSql(await listenOnLoopback(server), { backoff: false }).unsafe('select'))
  await vi.waitFor(() => expect(connections).toBeGreaterThan(3), { timeout: 30_000 })
  expect(await Promise.race([query, Promise.resolve('waits')])).toBe('waits')
})

it('the error of a client does not say why Postgres has ended the connection', async () => {
  const fatal = failure('FATAL', '57P01')
  const { port } = await startPeer((_, socket) => {
    setImmediate(() => socket.end())
    return [fatal]
  })
  expect(await codeOf(createSql(port).unsafe('select'))).toBe('CONNECTION_CLOSED')
  expect(findFatalError(fatal)).toEqual({ code: '57P01', message: 'failed' })
})

it.each([
  ['is kept after each query that fails', () => undefined, true],
  ['is not kept with keepNoStackTrace', keepNoStackTrace, false],
])('the stack trace %s', async (_, prepare, grows) => {
  const sql = createSql((await startPeer(() => [failure('ERROR', '42601'), ready])).port)
  const [count, length] = [20, 1_000_000]
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < count; index += 1) {
    const query = sql.unsafe(Buffer.alloc(length, `${index} `).toString())
    prepare(query)
    expect(await codeOf(query)).toBe('42601')
  }
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before > (count * length) / 2).toBe(grows)
})

const statement = { name: 'read', text: 'select $1', parameters: ['1'], prepare: false }
const toQuery = (port: number) =>
  createSql(port).unsafe(statement.text, statement.parameters, { prepare: false })

it.each<[string, (port: number) => Promise<unknown>, string]>([
  ['asks for the types of its parameters, and waits', toQuery, 'PDH'],
  [
    'sends everything at once with sendAtOnce',
    (port) => {
      const query = toQuery(port)
      sendAtOnce(query)
      return query
    },
    'PDBES',
  ],
  [
    'does so in our pool',
    (port) =>
      new Connection(toHosts(`postgres://u@127.0.0.1:${port}/u?sslmode=disable`), () => undefined).run(
        statement,
      ),
    'PDBES',
  ],
])('a query that is not prepared %s', async (_, run, messages) => {
  const types: string[] = []
  const { port } = await acceptLogins((socket) =>
    socket.on('data', (chunk) => {
      // The first query of a connection, which has no parameters.
      if (chunk.toString('latin1', 0, 1) === 'Q') return socket.write(EMPTY_ANSWER)
      // A message is a type and a length, which does not count the type.
      for (let at = 0; at < chunk.length; at += 1 + chunk.readInt32BE(at + 1))
        types.push(chunk.toString('latin1', at, at + 1))
      return socket.destroy()
    }),
  )
  await codeOf(run(port))
  expect(types.join('')).toBe(messages)
})

it.each([
  ['until a full garbage collection', (_: object, rows: unknown[]) => rows, true],
  ['only while they are used with takeRows', takeRows, false],
])('rows stay in memory %s', async (_, take, stay) => {
  const [count, length] = [400, 10_000]
  const sql = createSql((await startPeer(() => [description, row('x'.repeat(length)), complete, ready])).port)
  const readOldSpace = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
  const runAll = async () => {
    for (let index = 1; index <= count; index += 1) {
      const query = sql.unsafe('select')
      if (take(query, await query.values()).length !== 1) expect.unreachable('there is one row')
      // Objects that survive two of these are in the old generation.
      if (index % 50 === 0) collectGarbage({ type: 'minor' })
    }
  }
  await runAll()
  collectGarbage()
  const before = readOldSpace()
  await runAll()
  expect((readOldSpace() - before) / count > length / 2).toBe(stay)
})

it('PGTARGETSESSIONATTRS is used if the option is undefined', () => {
  vi.stubEnv('PGTARGETSESSIONATTRS', 'standby')
  const targetOf = () => postgres({ host: 'h', target_session_attrs: undefined }).options.target_session_attrs
  expect(targetOf()).toBe('standby')
  ignoreTargetSessionAttrs()
  expect(targetOf()).toBeUndefined()
})

it('a cancel request of the driver that cannot be sent ends the process', async () => {
  const { server, port } = await acceptLogins((socket) =>
    socket.once('data', () => {
      // From the query on, no other connection is accepted, as the program learns by a notice.
      server.close()
      socket.write(message('N', 'SNOTICE\0\0'))
    }),
  )
  const program = `
    import postgres from 'postgres'
    const onnotice = () => {
      query.cancel()
      setTimeout(() => process.exit(0), 1_000)
    }
    const sql = postgres({ host: '127.0.0.1', port: ${port}, max: 1, fetch_types: false, user: 'u', onnotice })
    const query = sql.unsafe('select')
    await query`
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  await expect(running).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
})

it('a cancel request of ours that cannot be sent is forgotten', async () => {
  const port = await findFreePort()
  requestCancel({ host: '127.0.0.1', port }, { pid: 1, secret: 2 })
  // An error that nothing handles would end the tests.
  const probe = connect(port, '127.0.0.1')
  await once(probe, 'error').catch(() => undefined)
})
