import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { AnsweredRequest, Observation } from '../../../src/base/observation.ts'
import { type Metrics, startMetrics } from '../../../src/telemetry/metrics.ts'

let metrics: Metrics
beforeAll(async () => {
  metrics = await startMetrics({ host: '127.0.0.1', port: 0 }, [])
})
afterAll(() => metrics.close())

const request: AnsweredRequest = {
  id: 'r-1',
  method: 'POST',
  scheme: 'http',
  address: '127.0.0.1',
  route: '/graphql',
  params: undefined,
  api: 'graphql',
  operation: null,
  operationType: 'query',
  rootFields: [],
  isDeprecated: false,
  status: 200,
  errorCodes: [],
  failureCause: undefined,
  isAborted: false,
  isStream: false,
  seconds: 0.002,
  key: undefined,
  traceId: undefined,
}
const record = (facts: Partial<AnsweredRequest>) =>
  metrics.observe({ type: 'request answered', request: { ...request, ...facts }, span: null })
const readSeries = async () =>
  (await (await fetch(metrics.url)).text()).split('\n').filter((line) => !line.startsWith('#'))

it('10,000 names, methods and schemes of clients make few series', async () => {
  for (let index = 0; index < 10_000; index += 1) {
    record({ operation: `Op${index}` })
    record({ method: `M${index}`, scheme: `s${index}` })
  }
  const counts = (await readSeries()).filter((line) =>
    line.startsWith('http_server_request_duration_seconds_count'),
  )
  // A hundred names and one for all others; one for all methods and schemes.
  expect(counts).toHaveLength(102)
  const total = counts.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  expect(total).toBe(20_000)
})

it('a statement is counted by name, and by error if it failed', async () => {
  const now = performance.now()
  const queued = { statement: { name: 'findPets' }, callers: 1, queuedAt: now, sentAt: now }
  for (const error of [null, new Error('failed')]) metrics.observe({ type: 'statement ended', queued, error })
  // One that was never sent has no duration.
  metrics.observe({ type: 'statement ended', queued: { ...queued, sentAt: null }, error: null })
  const series = await readSeries()
  const labels = 'db_system_name="postgresql",db_query_summary="findPets"'
  expect(series).toContain(`db_client_operation_duration_seconds_count{${labels}} 1`)
  expect(series).toContain(`db_client_operation_duration_seconds_count{${labels},error_type="INTERNAL"} 1`)
})

it('a scrape that fails is reported, once until one succeeds again', async () => {
  const failing = await startMetrics({ host: '127.0.0.1', port: 0 }, [])
  onTestFinished(() => failing.close())
  const observed: Observation[] = []
  failing.reportProblems((observation) => observed.push(observation))
  let isBroken = true
  const subscriptions = () => {
    if (isBroken) throw new Error('no count')
    return 1
  }
  const pool = () => ({ used: 0, idle: 0, waiting: 0 })
  failing.readAtScrape({ pool, subscriptions, compiledDocuments: () => 0, standbys: null })
  const scrape = async () => {
    const response = await fetch(failing.url)
    await response.text()
    return response.status
  }
  const problem = { type: 'metrics unread', reason: 'no count' }
  expect([await scrape(), await scrape(), observed]).toEqual([500, 500, [problem]])
  isBroken = false
  expect(await scrape()).toBe(200)
  isBroken = true
  expect([await scrape(), observed]).toEqual([500, [problem, problem]])
})
