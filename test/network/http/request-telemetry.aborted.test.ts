/** Requests whose client disconnects before it has the answer: each is recorded with the status that would have been sent. */
import { once } from 'node:events'
import { connect, type Server, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { GivenUpError, ServiceError } from '../../../src/base/service-error.ts'
import { startTelemetry } from '../../../src/telemetry/start-telemetry.ts'
import { KEY, startApp } from '../../support/app.ts'
import { STREAM_TYPES, subscribe } from '../../support/event-stream.ts'
import { eventually } from '../../support/eventually.ts'
import { startTraceCollector, type TraceCollector } from '../../support/trace-collector.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import { type Answers, answerRow, HEALTHY_STATE } from '../../unit/support/answers.ts'
import { createFakeDatabase, type FakeDatabase } from '../../unit/support/database.ts'

/** The statements of the database, which wait until the test answers them. */
let statements: { asked: Statement; resolve: (rows: TextRow[]) => void; reject: (error: Error) => void }[]
const log: Record<string, unknown>[] = []
let database: FakeDatabase
let collector: TraceCollector
let url: URL
let metricsUrl: string
let server: Server
let close: () => Promise<void>

beforeAll(async () => {
  collector = await startTraceCollector()
  const env = {
    LOG_LEVEL: 'info',
    METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  }
  const telemetry = await startTelemetry(readConfig(env), [])
  database = createFakeDatabase()
  database.query = (asked) => {
    const { promise, resolve, reject } = Promise.withResolvers<TextRow[]>()
    statements.push({ asked, resolve, reject })
    return promise
  }
  const app = await startApp(database, env, null, (line) => log.push(line), telemetry)
  ;({ url, server } = app)
  metricsUrl = String(telemetry?.metrics?.url)
  close = async () => {
    await app.close()
    await telemetry?.stop()
    collector.close()
  }
})
afterAll(() => close())
beforeEach(() => {
  statements = []
  log.length = 0
})

const countConnections = () => promisify(server.getConnections.bind(server))()

/** The sum of the series in the metrics that begin like this. */
async function sumOf(series: RegExp): Promise<number> {
  const text = await (await fetch(metricsUrl, { headers: { connection: 'close' } })).text()
  const found = text.matchAll(new RegExp(`^${series.source}.*\\} (\\d+)$`, 'gm'))
  return Array.from(found, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
}

/** The requests in the metrics that were aborted. */
const countAborted = () => sumOf(/http_server_request_duration_seconds_count\{.*error_type="aborted"/)
const countOverloaded = () => sumOf(/petstore_errors_total\{code="OVERLOADED"/)

const requestLines = () => log.filter(({ msg }) => msg === 'request')

/** Sends bytes. @returns the connection */
async function send(bytes: string): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

function toBytes(path: string, body?: object, others: string[] = []): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const method = body === undefined ? 'GET' : 'POST'
  const type = ['content-type: application/json', `content-length: ${text.length}`]
  const headers = ['host: x', `authorization: Bearer ${KEY}`, ...(body === undefined ? [] : type), ...others]
  return [`${method} ${path} HTTP/1.1`, ...headers, '', text].join('\r\n')
}

let traces = 0
const traceIdOf = (index: number) => `0af7651916cd43dd8448eb21${String(index).padStart(8, '0')}`
const CREATED = [['42']]
const FULL = new ServiceError('OVERLOADED', undefined, { cause: 'statements' })
const REX = { name: 'Rex', categoryId: 7 }
const MUTATION = 'mutation Make { createPet(input: {name: "Rex", categoryId: "7"}) { id } }'

describe.each(['is reset', 'is closed'])('a client whose connection %s', (how) => {
  const leave = (socket: Socket) => (how === 'is reset' ? socket.resetAndDestroy() : socket.destroy())

  it.each<[path: string, object | undefined, answer: TextRow[] | Answers | Error, expected: object]>([
    ['/v1/pets', REX, CREATED, { status: 201, operation: 'createPet' }],
    ['/v1/pets/1', undefined, [], { status: 404, codes: ['PET_NOT_FOUND'] }],
    ['/v1/pets/1', undefined, new ServiceError('TIMEOUT'), { status: 504, codes: ['TIMEOUT'], level: 40 }],
    ['/graphql', { query: MUTATION }, CREATED, { status: 200, operation: 'Make' }],
    [
      '/graphql',
      { query: 'query Ask { pets { totalCount } }' },
      new ServiceError('DATABASE_UNAVAILABLE'),
      { status: 503, operation: 'Ask', codes: ['DATABASE_UNAVAILABLE'] },
    ],
    ['/readyz', undefined, HEALTHY_STATE, { status: 200, route: '/readyz' }],
    // As from a pool that does not send the statement, since the client has gone.
    ['/v1/pets/1', undefined, new GivenUpError(), { status: 499, level: 30 }],
    ['/graphql', { query: MUTATION }, new GivenUpError(), { status: 499, level: 30 }],
    ['/v1/pets/1', undefined, FULL, { status: 503, codes: ['OVERLOADED'], level: 40 }],
  ])(
    'is recorded in the log, the metrics and a span with the answer that was due: %s %j',
    async (path, body, answer, expected) => {
      const [before, overloaded] = [await countAborted(), await countOverloaded()]
      const traceId = traceIdOf((traces += 1))
      const socket = await send(toBytes(path, body, [`traceparent: 00-${traceId}-b7ad6b7169203331-01`]))
      await eventually(() => expect(statements).toHaveLength(1))
      leave(socket)
      await eventually(async () => expect(await countConnections()).toBe(0))
      expect(requestLines()).toEqual([])
      for (const { asked, resolve, reject } of statements) {
        if (answer instanceof Error) reject(answer)
        else resolve(Array.isArray(answer) ? answer : answerRow(asked, answer))
      }
      await eventually(() => expect(requestLines()).toHaveLength(1))
      expect(requestLines()).toMatchObject([{ ...expected, aborted: true, traceId }])
      expect(await countAborted()).toBe(before + 1)
      const { status, codes } = expected as { status: number; codes?: string[] }
      expect(requestLines()[0]?.codes).toEqual(codes)
      expect(await countOverloaded()).toBe(overloaded + (codes?.includes('OVERLOADED') ? 1 : 0))
      const span = await eventually(() => {
        const found = collector.spans.find((one) => one.traceId === traceId && one.kind === 2)
        expect(found).toBeDefined()
        return found
      })
      expect(span?.attributes).toMatchObject({ 'http.response.status_code': status })
      expect(span?.attributes['error.type']).toBe(status >= 500 ? codes?.[0] : 'aborted')
      expect(span?.status).toBe(status >= 500 ? 2 : 0)
    },
  )

  it('is recorded if that happens in the middle of its request body', async () => {
    const bytes = toBytes('/v1/pets', REX)
    const socket = await send(bytes.slice(0, -3))
    await eventually(async () => expect(await countConnections()).toBe(1))
    leave(socket)
    await eventually(() => expect(requestLines()).toMatchObject([{ status: 400, aborted: true }]))
  })

  it('is recorded once, with the precondition that the answer does not meet', async () => {
    const socket = await send(toBytes('/v1/pets/1', undefined, ['if-match: "other"']))
    await eventually(() => expect(statements).toHaveLength(1))
    leave(socket)
    await eventually(async () => expect(await countConnections()).toBe(0))
    statements[0]?.resolve([['1', 'Rex', '7', null]])
    await eventually(() => expect(requestLines()).toMatchObject([{ status: 412, aborted: true }]))
  })

  it('is recorded for each of its requests', async () => {
    const socket = await send(toBytes('/v1/pets/1').repeat(3))
    await eventually(() => expect(statements.length).toBeGreaterThan(0))
    leave(socket)
    await eventually(async () => expect(await countConnections()).toBe(0))
    for (const { resolve } of statements) resolve([])
    await eventually(() =>
      expect(requestLines()).toMatchObject(Array(3).fill({ status: 404, aborted: true })),
    )
  })
})

it('a client that disconnects in the middle of an answer is recorded with its status', async () => {
  const socket = await send(toBytes('/v1/pets/1'))
  await eventually(() => expect(statements).toHaveLength(1))
  // More than the kernel takes.
  statements[0]?.resolve([['1', 'x'.repeat(15 * 2 ** 20), '7', null]])
  await once(socket, 'readable')
  socket.destroy()
  const line = { operation: 'getPet', status: 200, aborted: true }
  await eventually(() => expect(requestLines()).toMatchObject([line]))
})

it.each(STREAM_TYPES)('a query whose result is sent as %s is recorded as aborted, too', async (accept) => {
  const before = await countAborted()
  const query = 'query Ask { pet(id: "1") { id } }'
  const socket = await send(toBytes('/graphql', { query }, [`accept: ${accept}`]))
  await eventually(() => expect(statements).toHaveLength(1))
  socket.destroy()
  await eventually(async () => expect(await countConnections()).toBe(0))
  statements[0]?.resolve([])
  await eventually(() => expect(requestLines()).toMatchObject([{ operation: 'Ask', aborted: true }]))
  expect(await countAborted()).toBe(before + 1)
})

it('a client that disconnects before its subscription begins is recorded, and not subscribed', async () => {
  const query = 'subscription { petChanged(filter: {namePrefix: "R"}) { kind } }'
  const socket = await send(toBytes('/graphql', { query }, ['accept: text/event-stream']))
  await eventually(() => expect(statements).toHaveLength(1))
  socket.destroy()
  await eventually(async () => expect(await countConnections()).toBe(0))
  statements[0]?.resolve([['r']])
  await eventually(() => expect(requestLines()).toMatchObject([{ status: 200 }]))
  expect(database.events.size).toBe(0)
})

it.each(STREAM_TYPES)(
  'a subscription that its client ends is recorded, and not as aborted: %s',
  async (accept) => {
    const before = await countAborted()
    const query = 'subscription Watch { petChanged { kind } }'
    const stream = await subscribe(url.origin, KEY, query, {}, accept)
    stream.abort()
    await eventually(() => expect(requestLines()).toMatchObject([{ operation: 'Watch', status: 200 }]))
    expect(requestLines()[0]).not.toHaveProperty('aborted')
    expect(await countAborted()).toBe(before)
  },
)
