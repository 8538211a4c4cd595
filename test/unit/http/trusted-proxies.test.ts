import { expect, it } from 'vitest'
import { trustProxies } from '../../../src/http/trusted-proxies.ts'

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
