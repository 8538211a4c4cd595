import { describe, expect, it } from 'vitest'
import { createRequestId } from '../../../src/http/create-fastify.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const idOf = (sent?: string | string[]) =>
  createRequestId({ headers: sent === undefined ? {} : { 'x-request-id': sent } })

describe('the id of a request', () => {
  it.each(['a', 'A-1_b.c:d+e/f=', 'x'.repeat(128)])('is the one that the client sent: %j', (sent) => {
    expect(idOf(sent)).toBe(sent)
  })

  it.each<[string | string[] | undefined]>([
    [undefined],
    [''],
    ['x'.repeat(129)],
    ['a b'],
    ['a\n'],
    ['é'],
    ['a"'],
    [['a', 'b']],
  ])('is new instead of %j', (sent) => expect(idOf(sent)).toMatch(UUID))
})
