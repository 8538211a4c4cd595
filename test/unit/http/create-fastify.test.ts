import { expect, it } from 'vitest'
import { createFastify } from '../../../src/http/create-fastify.ts'

const app = createFastify(
  { keepAliveSeconds: 1, logLevel: 'silent', trustProxy: false },
  { write: () => undefined },
)

const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/) as string

it.each([
  ...['a', 'A-1_b.c:d+e/f=', 'x'.repeat(128)].map((id) => [id, id]),
  // A new one, rather than one that could forge a line of the log.
  ...[undefined, '', 'x'.repeat(129), 'a b', 'a\n', 'é', 'a"', 'a, b'].map((id) => [id, UUID]),
])('a request that is sent with the id %j has the id %s', async (header, expected) => {
  const { headers } = await app.inject({
    url: '/',
    headers: header === undefined ? {} : { 'x-request-id': header },
  })
  expect(headers['x-request-id']).toEqual(expected)
})

it.each([
  ['1.2.3.4', '1.2.3.4'],
  ['1.2.3.4:5678', '1.2.3.4'],
])('a malformed path is logged with the client of X-Forwarded-For: %s', async (forwardedFor, address) => {
  const lines: string[] = []
  const behindProxy = createFastify(
    { keepAliveSeconds: 1, logLevel: 'info', trustProxy: ['loopback'] },
    { write: (line) => void lines.push(line) },
  )
  const { statusCode } = await behindProxy.inject({
    url: '/%zz',
    headers: { 'x-forwarded-for': forwardedFor },
  })
  expect(statusCode).toBe(400)
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ status: 400, address }])
})
