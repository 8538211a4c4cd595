/** Headers made to take long: none keeps the event loop busy, with a key or without one. Processor time says it on a busy machine too. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'
import { createFakeDatabase } from '../unit/support/database.ts'
import { KEY, startApp } from '../support/app.ts'

let address: { host: string; port: number }
beforeAll(async () => {
  const app = await startApp(createFakeDatabase(), { GRAPHIQL: 'true', TRUST_PROXY: 'loopback' })
  address = { host: app.url.hostname, port: Number(app.url.port) }
  return app.close
})

/** How much more they may cost than a header of letters: many times what any does, a fraction of what quadratic time did. */
const MAX_RATIO = 50
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

/** Sends the cheapest of several requests until one costs no more than this. @returns microseconds of processor time of the cheapest */
async function measure(request: string, enough = 0): Promise<number> {
  let cheapest = Infinity
  for (let time = 0; time < 10 && cheapest > enough; time += 1) {
    const before = process.cpuUsage()
    const socket = connect(address)
    socket.end(request, 'latin1')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 [2-4]\d\d /)
    const { user, system } = process.cpuUsage(before)
    cheapest = Math.min(cheapest, user + system)
  }
  return cheapest
}

/** A request with a header, and with a key or without. */
function compose(line: string, hasKey: boolean, name: string, value: string): string {
  const lines = [
    ...(name === 'Host' ? [] : ['Host: x']),
    ...(name === 'Authorization' || !hasKey ? [] : [`Authorization: Bearer ${KEY}`]),
    `${name}: ${value}`,
    'Connection: close',
  ]
  return [`${line} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

it.each(headers)('no value of %s takes much more CPU time than one of letters', async (name) => {
  const slow: string[] = []
  for (const [line, hasKey] of REQUESTS) {
    const usual = await measure(compose(line, hasKey, name, fill('x')))
    for (const [what, value] of values) {
      const cost = await measure(compose(line, hasKey, name, value), MAX_RATIO * usual)
      if (cost > MAX_RATIO * usual) slow.push(`${line}: ${what}: ${cost} µs, usually ${usual}`)
    }
  }
  expect(slow).toEqual([])
})
