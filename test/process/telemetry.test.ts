/**
 * Metrics and traces of a server in its own process, with OpenTelemetry's defaults.
 *
 * @module-tag slow
 */
import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { logLines, startProgram, stopProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { startProxy } from '../support/proxy.ts'
import { startTraceCollector } from '../support/trace-collector.ts'

const database = useDatabase()

it('a server that is stopped sends its last spans, and closes the port of the metrics', async () => {
  const collector = await startTraceCollector()
  onTestFinished(() => collector.close())
  const program = startProgram({
    ...database.env,
    API_KEYS: `test:${KEY}`,
    METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // So that only the stop sends them.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  })
  const url = await program.ready
  const [line] = logLines(program, 'metrics are served')
  const metricsUrl = String(line?.url)
  await createClient(url, KEY).send('/v1/pets')
  expect(await (await fetch(metricsUrl)).text()).toContain('operation="listPets"')
  expect(collector.requests).toEqual([])
  expect(await stopProgram(program)).toBe(0)
  expect(collector.requests).toEqual([{ type: 'application/x-protobuf', path: '/v1/traces' }])
  await expect(fetch(metricsUrl)).rejects.toThrow()
})

it('a server whose database can never be opened sends its last spans, without SHUTDOWN_DELAY', async () => {
  const collector = await startTraceCollector()
  onTestFinished(() => collector.close())
  const proxy = await startProxy(`${database.env.DATABASE_URL}?options=-c%20work_mem%3Dnone`)
  onTestFinished(() => proxy.close())
  proxy.hangUp(true)
  const program = startProgram({
    DATABASE_URL: proxy.url,
    API_KEYS: `test:${KEY}`,
    SHUTDOWN_DELAY: '60',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  })
  const client = createClient(await program.listening, KEY)
  expect((await client.send('/v1/pets')).status).toBe(503)
  const started = performance.now()
  proxy.hangUp(false)
  expect(await program.ended).toBe(1)
  expect(performance.now() - started).toBeLessThan(60_000)
  expect(program.stderr.join('\n')).toContain('The database in DATABASE_URL cannot be used')
  expect(collector.requests).toHaveLength(1)
})

it('a collector that cannot be reached delays nothing, and the log says so', async () => {
  const program = startProgram({
    ...database.env,
    API_KEYS: `test:${KEY}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    // Otherwise it tries again for ten seconds first.
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
  })
  const client = createClient(await program.ready, KEY)
  expect((await client.send('/v1/pets')).status).toBe(200)
  await eventually(() => {
    const [problem] = logLines(program, 'traces cannot be sent')
    expect(problem?.reason).toContain('127.0.0.1:1')
  })
  expect(await stopProgram(program)).toBe(0)
})
