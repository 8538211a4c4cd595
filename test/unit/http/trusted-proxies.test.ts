import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { ignorePorts, trustProxies } from '../../../src/http/trusted-proxies.ts'

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
  ['192.0.2.7', ['0.0.0.0/0'], true],
  ['9.0.2.7', ['0.0.0.0/00'], true],
  ['::1', ['0.0.0.0/0'], false],
  ['2001:db8::7', ['::/0'], true],
  ['fe80::7', ['::/0'], true],
  ['192.0.2.7', ['::/0'], false],
  ['192.0.2.7', ['::ffff:192.0.2.7'], true],
])('%s is a proxy of %j: %s', (address, proxies, isTrusted) => {
  expect(trustProxies(proxies)(address, 0)).toBe(isTrusted)
})

it('at most ten proxies in a row are examined', () => {
  const trusts = trustProxies(['loopback'])
  expect([9, 10].map((hop) => trusts('127.0.0.1', hop))).toEqual([true, false])
})

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:50000', '192.0.2.7'],
  ['192.0.2.7:', '192.0.2.7'],
  ['[2001:db8::7]:50000', '2001:db8::7'],
  ['[2001:DB8::7]', '2001:DB8::7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[::ffff:192.0.2.7]:1', '::ffff:192.0.2.7'],
  // The inner proxy is trusted, and its port says nothing.
  ['192.0.2.7:50000, 10.0.0.1:443', '192.0.2.7'],
  ['192.0.2.7:50000,[fd00::1]:443, 10.0.0.1:443', '192.0.2.7'],
  ['192.0.2.9, 192.0.2.7:50000', '192.0.2.7'],
  // Not addresses: they stay as they are.
  ['unknown', 'unknown'],
  ['unknown:1', 'unknown:1'],
  ['192.0.2:1', '192.0.2:1'],
  ['[192.0.2.7:1', '[192.0.2.7:1'],
])('the client of X-Forwarded-For: %s is %s', async (header, client) => {
  const app = Fastify({ trustProxy: trustProxies(['loopback', '10.0.0.0/8', 'fd00::/8']) })
  ignorePorts(app)
  app.get('/', async ({ ip }) => ip)
  const { body } = await app.inject({ url: '/', headers: { 'x-forwarded-for': header } })
  expect(body).toBe(client)
})
