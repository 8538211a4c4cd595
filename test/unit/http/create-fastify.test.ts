import { expect, it } from 'vitest'
import { createRequestId } from '../../../src/http/create-fastify.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const idOf = (sent?: string | string[]) =>
  createRequestId({ headers: sent === undefined ? {} : { 'x-request-id': sent } })

it.each(['a', 'A-1_b.c:d+e/f=', 'x'.repeat(128)])('a request has the id that the client sent: %j', (sent) => {
  expect(idOf(sent)).toBe(sent)
})

it.each([
  ...[[undefined], [''], ['x'.repeat(129)], ['a b'], ['a\n'], ['é'], ['a"']],
  // Sent twice.
  [['a', 'b']],
])('a request has a new id instead of %j', (sent) => expect(idOf(sent)).toMatch(UUID))
