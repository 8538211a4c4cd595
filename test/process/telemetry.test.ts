/** Metrics and traces of a server in its own process, with OpenTelemetry's defaults. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createMigratedDatabase } from '../support/database.ts'
import { createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { endPrograms, logLines, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { startTraceCollector } from '../support/trace-collector.ts'

afterEach(endPrograms)

it('if METRICS_PORT is in use, the error says so and what to do, and the process exits with 1', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const program = startProgram({ DATABASE_URL: 'postgres://127.0.0.1:1/x', METRICS_PORT: String(port) })
  expect(await program.ended).toBe(1)
  expect(program.stderr.join('\n')).toMatch(
    new RegExp(`METRICS_PORT ${port}: .*in use.*METRICS_PORT to a free port`, 's'),
  )
})

it('a server that is stopped sends its last spans, and closes the port of the metrics', async () => {
  const [database, collector] = await Promise.all([createMigratedDatabase(), startTraceCollector()])
  onTestFinished(() => collector.close())
  onTestFinished(() => database.remove())
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
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
  expect(collector.requests).toEqual([{ type: 'application/x-protobuf', path: '/v1/traces' }])
  await expect(fetch(metricsUrl)).rejects.toThrow()
})

it('a collector that cannot be reached delays nothing, and the log says so', async () => {
  const database = await createMigratedDatabase()
  onTestFinished(() => database.remove())
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
    const [problem] = logLines(program, 'metrics or traces have a problem')
    expect(problem?.reason).toContain('127.0.0.1:1')
  })
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})
