/** Metrics, traces, and what the log says about a request. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { STREAM_TYPES, subscribe } from '../../support/event-stream.ts'
import { eventually } from '../../support/eventually.ts'
import { ROOT } from '../../support/process.ts'
import { KEY, useService } from '../../support/service.ts'
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../../support/trace-collector.ts'

const hasPromtool = !spawnSync('promtool', ['--version']).error
if (!hasPromtool)
  console.warn('The format of the metrics and the alert rules are not checked: promtool is missing.')

let collector: TraceCollector
beforeAll(async () => {
  collector = await startTraceCollector()
})
afterAll(() => collector.close())
const service = useService(() => ({
  METRICS_PORT: '0',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '20',
  TRUST_PROXY: 'loopback',
}))

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
let traces = 0
/** The traceparent of a client, with a trace of its own. */
function createTrace(): { traceId: string; headers: { traceparent: string } } {
  traces += 1
  const traceId = TRACE.slice(0, -8) + String(traces).padStart(8, '0')
  return { traceId, headers: { traceparent: `00-${traceId}-${PARENT}-01` } }
}

const readMetrics = async () => (await fetch(service.metricsUrl)).text()

/** The value of a series; undefined if there is none. */
function valueOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const line = text
    .split('\n')
    .find(
      (line) =>
        line.replace(/[{ ].*/, '') === name &&
        Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
    )
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

describe('metrics', () => {
  const DURATION = 'http_server_request_duration_seconds_count'

  it('count requests by method, route, status, API and operation', async () => {
    await service.client.send('/v1/pets')
    await service.client.send('/v1/pets/1')
    for (let call = 0; call < 3; call += 1)
      await service.client.graphql('query Counted { pets { totalCount } }')
    const text = await readMetrics()
    const list = { http_request_method: 'GET', http_route: '/v1/pets', http_response_status_code: '200' }
    expect(valueOf(text, DURATION, { ...list, api: 'rest', operation: 'listPets' })).toBeGreaterThan(0)
    const get = { http_route: '/v1/pets/{petId}', http_response_status_code: '404' }
    expect(valueOf(text, DURATION, { ...get, operation: 'getPet' })).toBeGreaterThan(0)
    expect(valueOf(text, DURATION, { http_route: '/graphql', api: 'graphql', operation: 'Counted' })).toBe(3)
    const statements = 'db_client_operation_duration_seconds_count'
    expect(valueOf(text, statements, { db_query_summary: 'select pets' })).toBe(3)
    expect(valueOf(text, 'petstore_deprecated_calls_total', { operation: 'getPet', key: 'test' })).toBe(1)
    expect(valueOf(text, 'petstore_compiled_documents')).toBe(1)
    expect(valueOf(text, 'db_client_connections', { db_client_connection_state: 'idle' })).toBeGreaterThan(0)
    expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
  })

  it('count errors by code, in both APIs', async () => {
    const errors = async (code: string, api: string) =>
      valueOf(await readMetrics(), 'petstore_errors_total', { code, api }) ?? 0
    const before = await errors('PET_NOT_FOUND', 'graphql')
    await service.client.graphql('mutation { a: deletePet(id: "0") { id } b: deletePet(id: "0") { id } }')
    expect(await errors('PET_NOT_FOUND', 'graphql')).toBe(before + 1)
    await service.client.send('/v1/pets', { key: 'wrong' })
    expect(await errors('UNAUTHORIZED', 'rest')).toBe(1)
    // So that the first one is an increase.
    expect(valueOf(await readMetrics(), 'petstore_errors_total', { code: 'INTERNAL', api: 'rest' })).toBe(0)
  })

  it.each(STREAM_TYPES)('count open subscriptions, but not their duration: %s', async (accept) => {
    const query = 'subscription Watched { petChanged { kind } }'
    const stream = await subscribe(service.url, KEY, query, {}, accept)
    expect(valueOf(await readMetrics(), 'petstore_subscriptions')).toBe(1)
    stream.abort()
    await eventually(async () => expect(valueOf(await readMetrics(), 'petstore_subscriptions')).toBe(0))
    expect(valueOf(await readMetrics(), DURATION, { operation: 'Watched' })).toBeUndefined()
  })

  it.each(STREAM_TYPES)('count a subscription that is refused, and its error: %s', async (accept) => {
    const query = 'subscription Refused($filter: PetFilter) { petChanged(filter: $filter) { kind } }'
    const filter = { namePrefix: 'x'.repeat(501) }
    const counts = async () => {
      const text = await readMetrics()
      const errors = valueOf(text, 'petstore_errors_total', { code: 'INVALID_VALUE', api: 'graphql' })
      return [valueOf(text, DURATION, { operation: 'Refused' }) ?? 0, errors ?? 0]
    }
    const [requests = 0, errors = 0] = await counts()
    const refused = await subscribe(service.url, KEY, query, { filter }, accept)
    expect(await refused.next()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_VALUE' } }] })
    expect(await refused.next()).toBeNull()
    await eventually(async () => expect(await counts()).toEqual([requests + 1, errors + 1]))
  })

  // Names of operations, and methods: test/network/telemetry/metrics.test.ts.
  it('the paths that clients send do not become series', async () => {
    const count = async () =>
      (await readMetrics()).split('\n').filter((line) => line.startsWith(`${DURATION}{`)).length
    const send = (index: number) =>
      Promise.all(['/path/', '/v1/pets/no-id-'].map((path) => service.client.send(`${path}${index}`)))
    await send(0)
    const before = await count()
    for (let index = 1; index <= 10; index += 1) await send(index)
    expect(await count()).toBe(before)
  })

  it.each([
    ['GET', '/', 404],
    ['GET', '/metrics/x', 404],
    ['GET', '/v1/pets', 404],
    ['GET', '/metrics?x', 200],
    ['POST', '/metrics', 405],
  ])('are all that their port serves: %s %s is %i', async (method, path, status) => {
    expect((await fetch(new URL(path, service.metricsUrl), { method })).status).toBe(status)
  })

  it('are not served on the port of the service', async () => {
    expect((await service.client.send('/metrics')).status).toBe(404)
    expect(new URL(service.metricsUrl).hostname).toBe('127.0.0.1')
  })

  it.skipIf(!hasPromtool)('are in the format of Prometheus, and named by its conventions', async () => {
    // Some of the library's own are named otherwise.
    const own = (await readMetrics()).split('\n').filter((line) => !/^(# \w+ )?nodejs_/.test(line))
    const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], {
      input: own.join('\n'),
      encoding: 'utf8',
    })
    expect(`${stdout}${stderr}`).toBe('')
    expect(status).toBe(0)
  })

  it.skipIf(!hasPromtool).each([
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
    ['check', 'config', 'prometheus.yml'],
  ])('the alert rules pass promtool %s %s %s', (...args) => {
    const { stdout, stderr, status } = spawnSync('promtool', args, {
      cwd: join(ROOT, 'deploy', 'prometheus'),
      encoding: 'utf8',
    })
    expect(status, `${stdout}${stderr}`).toBe(0)
  })

  it.each(['deploy/grafana/dashboard.json', 'deploy/prometheus/alerts.yml', 'docs/operations.md'])(
    '%s names only metrics and labels that exist',
    async (file) => {
      await service.client.send('/v1/pets/1')
      // Some metrics are there after the first collection.
      collectGarbage()
      const names = readFileSync(join(ROOT, file), 'utf8').match(
        /\b(http_server|http_re|db_|petstore_|nodejs_|process_)\w+/g,
      )
      expect(names?.length).toBeGreaterThan(5)
      // Those of standbys are read in test/faults/standbys.test.ts.
      const others = names?.filter((name) => !/^petstore_(standby_|reads)/.test(name))
      await eventually(async () => {
        const text = await readMetrics()
        const missing = new Set(others?.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)))
        expect([...missing]).toEqual([])
      })
    },
  )
})

describe('a trace', () => {
  /** The spans of a trace, once that of the request has arrived. */
  const spansOf = (traceId: string): Promise<CollectedSpan[]> =>
    eventually(() => {
      const found = collector.spans.filter((span) => span.traceId === traceId)
      expect(found.some(({ kind }) => kind === 2)).toBe(true)
      return found
    })
  /** The names of a span and of those above it. */
  function pathOf(spans: CollectedSpan[], span: CollectedSpan | undefined): string[] {
    if (!span) return []
    return [
      ...pathOf(
        spans,
        spans.find(({ spanId }) => spanId === span.parentSpanId),
      ),
      span.name,
    ]
  }
  const statementsIn = (spans: CollectedSpan[]) =>
    spans.filter(({ kind }) => kind === 3).map((span) => pathOf(spans, span))

  it('leads from the client through HTTP and operation to the statement', async () => {
    const { traceId, headers } = createTrace()
    await service.client.send('/v1/pets?limit=2&status=sold', { headers })
    const spans = await spansOf(traceId)
    expect(statementsIn(spans)).toEqual([['GET /v1/pets', 'query listPets', 'listPets']])
    expect(spans.find(({ kind }) => kind === 2)).toMatchObject({
      parentSpanId: PARENT,
      status: 0,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/pets',
        'http.response.status_code': 200,
        'url.path': '/v1/pets',
      },
    })
  })

  it.each(['new', 'executed again', 'compiled'])('shows a GraphQL request whose document is %s', async () => {
    const { traceId, headers } = createTrace()
    const query = 'query Traced { pets(first: 1) { totalCount } }'
    await service.client.post('/graphql', { query }, { headers })
    expect(statementsIn(await spansOf(traceId)).sort()).toEqual([
      ['POST /graphql', 'query Traced', 'listPets'],
      ['POST /graphql', 'query Traced', 'select pets'],
    ])
  })

  it('of one of several requests contains the statement that answers them all', async () => {
    /** Sends requests at once. @returns the spans of those with a statement that was shared */
    const findShared = async () => {
      const requests = Array.from({ length: 20 }, () => createTrace())
      await Promise.all(requests.map(({ headers }, id) => service.client.send(`/v1/pets/${id}`, { headers })))
      const spans = await Promise.all(requests.map(({ traceId }) => spansOf(traceId)))
      return spans.filter((trace) =>
        trace.some(({ attributes }) => Number(attributes['db.operation.batch.size']) > 1),
      )
    }
    const shared = await eventually(async () => {
      const found = await findShared()
      expect(found).not.toEqual([])
      return found
    })
    for (const spans of shared) {
      const [statement] = spans.filter(({ kind }) => kind === 3)
      expect(pathOf(spans, statement)).toEqual(['GET /v1/pets/{petId}', 'query getPet', 'findPets'])
    }
  })

  it('names the error of a client, which is no failure of the server', async () => {
    const { traceId, headers } = createTrace()
    const query = 'mutation { deletePet(id: "0") { id } }'
    await service.client.post('/graphql', { query }, { headers })
    const request = (await spansOf(traceId)).find(({ kind }) => kind === 2)
    expect(request).toMatchObject({ status: 0, attributes: { 'error.type': 'PET_NOT_FOUND' } })
  })

  it('is exported by the protocol that is configured', () => {
    expect(collector.requests).toContainEqual({ type: 'application/json', path: '/v1/traces' })
  })
})

describe('a log line', () => {
  const lastLine = () => service.log.filter(({ msg }) => msg === 'request').at(-1)

  const mutation = { query: 'mutation Failed { deletePet(id: "0") { id } }' }
  const second = { query: 'query First { __typename } query Second { __typename }', operationName: 'Second' }
  it.each<[string, object | undefined, object]>([
    ['/v1/pets', undefined, { operation: 'listPets', status: 200 }],
    ['/v1/pets/0', undefined, { operation: 'getPet', status: 404, codes: ['PET_NOT_FOUND'] }],
    ['/nowhere', undefined, { status: 404, codes: ['NOT_FOUND'] }],
    ['/graphql', { query: 'query Logged { __typename }' }, { operation: 'Logged' }],
    ['/graphql', second, { operation: 'Second' }],
    ['/graphql', mutation, { operation: 'Failed', codes: ['PET_NOT_FOUND'], status: 200 }],
    ['/graphql', { query: '{' }, { codes: ['INVALID_REQUEST'] }],
  ])('says which operation it was and which errors there were: %s %j', async (path, body, expected) => {
    await service.client.send(path, { method: body ? 'POST' : 'GET', body })
    await eventually(() => expect(lastLine()).toMatchObject(expected))
  })

  it("has the client's address and the id of the trace", async () => {
    const { traceId, headers } = createTrace()
    await service.client.send('/v1/pets', { headers: { ...headers, 'x-forwarded-for': '203.0.113.7' } })
    await eventually(() => expect(lastLine()).toMatchObject({ address: '203.0.113.7', traceId }))
  })
})
