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
