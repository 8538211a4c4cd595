import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { KEY, listen } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

/** As a page of 100 long names, several times what the buffers of two sockets hold. */
const LONG_PAGE = ['id', 'x'.repeat(80_000), '7', 'NULL'].map(
  (value, column) => `{${Array.from({ length: 100 }, (_, index) => (column === 0 ? index : value)).join()}}`,
)
const database = createFakeDatabase(() => [[...LONG_PAGE, '1']])

it.each([
  ['an answer of the REST API', 'GET /v1/pets?limit=100', ''],
  ["GraphiQL's largest file, without a key", 'GET FILE', ''],
  [
    'an answer of the GraphQL API',
    'POST /graphql',
    JSON.stringify({ query: '{ pets(first: 100) { nodes { id name } } }' }),
  ],
])(
  'the connection of a client that reads nothing of %s is reset, so that the kernel keeps no bytes',
  async (_, line, body) => {
    const { url, server } = await listen(database, { GRAPHIQL: 'true' })
    const target = line.includes('FILE') ? line.replace('FILE', await findLargestFile(url)) : line
    // It passes twice: 30 s.
    expect(server).toMatchObject({ timeout: 15_000 })
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect(Number(url.port), url.hostname)
    const head = [`${target} HTTP/1.1`, 'Host: x', `Content-Length: ${body.length}`]
    if (!line.includes('FILE')) head.push(`Authorization: Bearer ${KEY}`, 'Content-Type: application/json')
    client.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    const [socket] = await accepted
    await eventually(() => expect(socket.bytesWritten).toBeGreaterThan(1_000_000))
    socket.setTimeout(500)
    await once(socket, 'close')
    const [error] = (await once(client.resume(), 'error')) as [Error]
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  },
)

async function findLargestFile(url: URL): Promise<string> {
  const page = await fetch(new URL('/graphql', url), { headers: { accept: 'text/html' } })
  const [, file = ''] = /"\.(\/files\/libraries\/[^"]+\/graphiql\.js)"/.exec(await page.text()) ?? []
  return file
}

it('an invalid variable of OpenTelemetry is named in the log', async () => {
  const lines: Record<string, unknown>[] = []
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER: 'xray' }
  await listen(database, { LOG_LEVEL: 'warn', ...env }, (line) => lines.push(line))
  const warning = expect.stringMatching(/^OTEL_TRACES_SAMPLER must be /) as string
  expect(lines).toMatchObject([{ level: 40, warning }])
})

it.each([
  ...['/', '/docs', '/docs/', '/graphql', '/schema.graphql', '/healthz', '/readyz', '/favicon.svg'],
  ...['/v1/pets', '/v1/pets/1', '/v1/openapi.json', '/v1/unknown', '/unknown', `/${'x'.repeat(17_000)}`],
])('no cache has to guess how long it may keep %s: GET, a method that is not supported', async (path) => {
  const { url } = await listen(database)
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await fetch(new URL(path, url), { method, redirect: 'manual' })
    expect([method, status, headers.get('cache-control')]).toEqual([
      method,
      status,
      expect.stringMatching(/no-store|no-cache|max-age/),
    ])
  }
})

it.each(['/healthz', '/readyz', '/unknown'])('no cache keeps %s', async (path) => {
  const { url } = await listen(database)
  expect((await fetch(new URL(path, url))).headers.get('cache-control')).toBe('no-store')
})
