import { describe, expect, it } from 'vitest'
import { createRequestId, trustProxies } from '../../../src/http/create-fastify.ts'

it.each<[string, string[], boolean]>([
  ['127.0.0.1', ['loopback'], true],
  ['::1', ['loopback'], true],
  ['::ffff:127.0.0.1', ['loopback'], true],
  ['10.1.2.3', ['loopback'], false],
  ['10.1.2.3', ['10.0.0.0/8'], true],
  ['11.1.2.3', ['10.0.0.0/8'], false],
  ['192.0.2.7', ['192.0.2.7'], true],
  ['192.0.2.8', ['192.0.2.7'], false],
  ['2001:db8::7', ['2001:db8::/32', '192.0.2.7'], true],
  ['2001:db9::7', ['2001:db8::/32'], false],
  ['unknown', ['0.0.0.0/0'], false],
])('%s is a proxy of %j: %s', (address, proxies, isTrusted) => {
  expect(trustProxies(proxies)(address, 0)).toBe(isTrusted)
})

it('at most ten proxies in a row are examined', () => {
  const trusts = trustProxies(['loopback'])
  expect([9, 10].map((hop) => trusts('127.0.0.1', hop))).toEqual([true, false])
})

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
