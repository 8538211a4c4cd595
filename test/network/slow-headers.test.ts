/** Headers made to take long: none keeps the event loop busy, with a key or without one. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { createFakeDatabase } from '../unit/support/database.ts'
import { KEY, startApp } from '../support/app.ts'

let address: { host: string; port: number }
beforeAll(async () => {
  const app = await startApp(createFakeDatabase(), { GRAPHIQL: 'true', TRUST_PROXY: 'loopback' })
  address = { host: app.url.hostname, port: Number(app.url.port) }
  return app.close
})

/** Milliseconds: many times what any of them takes, a fraction of what quadratic time took. */
const BOUND = 50
const LENGTH = 30_000
const fill = (part: string) => part.repeat(LENGTH / part.length)

const values: [what: string, value: string][] = [
  ['spaces before a byte that is none', `Bearer ${fill(' ')}\xa0`],
  ['spaces between two words', `Bearer a${fill(' ')}b`],
  ['commas', fill(',')],
  ['commas behind a quote', `"${fill(',')}`],
  ['commas behind a parameter with a quote', `a/b;c="${fill(',')}`],
  ['parameters with quotes', fill(';a="')],
  ['semicolons and spaces', fill('; ')],
  ['media ranges', fill('a/b,')],
  ['addresses', fill('192.0.2.1,')],
  ['equals signs', fill('=')],
]

const headers = [
  ...['Accept', 'Accept-Encoding', 'Authorization', 'Content-Encoding', 'Content-Type', 'If-None-Match'],
  ...['Idempotency-Key', 'X-Request-Id', 'X-Forwarded-For', 'X-Forwarded-Host', 'Host', 'Origin'],
  ...['Access-Control-Request-Headers', 'Cache-Control'],
]

/** Each with its key, or without one. */
const REQUESTS = [
  ['GET /v1/pets', false],
  ['GET /graphql', false],
  ['OPTIONS /graphql', true],
  ['POST /v1/pets', true],
  ['POST /graphql', true],
] as const

/** The fastest of ten, on a busy machine. */
async function measure(request: string): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < 10 && Math.min(...times) > BOUND; time += 1) {
    const start = performance.now()
    const socket = connect(address)
    socket.end(request, 'latin1')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 [2-4]\d\d /)
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}

describe.each(values)('%s', (_, value) => {
  it.each(headers)('in %s take no time', async (name) => {
    const own = [
      ...(name === 'Host' ? [] : ['Host: x']),
      ...(name === 'Authorization' ? [] : [`Authorization: Bearer ${KEY}`]),
      `${name}: ${value}`,
      'Connection: close',
    ]
    const slow: string[] = []
    for (const [line, hasKey] of REQUESTS) {
      const lines = hasKey ? own : own.filter((each) => !each.includes(KEY))
      const took = await measure([`${line} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
      if (took > BOUND) slow.push(`${line}: ${took} ms`)
    }
    expect(slow).toEqual([])
  })
})
