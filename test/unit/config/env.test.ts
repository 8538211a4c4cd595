import { describe, expect, it, vi } from 'vitest'
import {
  integer,
  oneOf,
  parseDocumentLimits,
  parseHost,
  parseOrigins,
  parsePort,
  parseProxies,
  parseRateLimit,
  parseServerUrl,
  type Report,
} from '../../../src/config/env.ts'

/** @returns a function that returns the value of a text, or INVALID */
function readerOf<Value>(parse: (text: string, report: Report) => Value) {
  return (text: string) => {
    const report = vi.fn()
    const value = parse(text, report)
    return report.mock.calls.length > 0 ? INVALID : value
  }
}
const INVALID = 'invalid'

describe('HOST', () => {
  const read = readerOf(parseHost)

  it.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'a', '1', 'a-b.example.com', 'A.B'])(
    'may be %j',
    (text) => expect(read(text)).toBe(text),
  )

  it.each(['', ' ', '-a', 'a-', '.a', 'a.', 'a_b', 'a b', 'http://x', 'x:80', '[::1]', 'x/'])(
    'may not be %j',
    (text) => expect(read(text)).toBe(INVALID),
  )
})

describe('PORT', () => {
  const read = readerOf(parsePort)

  it.each([
    ['0', 0],
    ['1', 1],
    ['65535', 65_535],
  ])('may be %j', (text, port) => expect(read(text)).toBe(port))

  it.each(['', '-1', '65536', '99999', '123456', '4e3', '0x50', '80.0', ' 80', '80 ', 'http'])(
    'may not be %j',
    (text) => expect(read(text)).toBe(INVALID),
  )
})

describe('BASE_URL', () => {
  const read = readerOf(parseServerUrl)

  it('may be absent', () => expect(read('')).toBeNull())

  it.each(['http://h/v1', 'https://h:8443/v1', 'https://h/pets/v1'])('may be %j', (text) =>
    expect(read(text)).toBe(text),
  )

  it.each([
    ['https://例え.jp/v1', 'https://xn--r8jz45g.jp/v1'],
    ['https://H/läden/v1', 'https://h/l%C3%A4den/v1'],
    ['HTTPS://h:443/a/../v1', 'https://h/v1'],
    ['https:\\\\h/v1', 'https://h/v1'],
  ])('may be %j, and is used as %j, which may stand in a header', (text, url) => expect(read(text)).toBe(url))

  it.each([
    ...['h', '/v1', '//h/v1', 'ftp://h/v1', 'https://h', 'https://h/', 'https://h/v1/', 'https://h/v2'],
    ...['https://h/v1?a', 'https://h/v1#a', 'https://h/V1', 'https://h/?/v1', 'https://h/v1?'],
    ...['https://h/v1#'],
    ...[' https://h/v1', 'https://h/v1 ', 'https://h/v1\n', 'https://h/a\tb/v1', 'https://h/a b/v1'],
    ...['https://user@h/v1', 'https://user:password@h/v1', 'https://:password@h/v1', 'https:///v1'],
  ])('may not be %j', (text) => expect(read(text)).toBe(INVALID))
})

describe('SHUTDOWN_DELAY', () => {
  const read = readerOf(integer(0, 600))

  it.each([
    ['0', 0],
    ['5', 5],
    ['600', 600],
  ])('may be %j', (text, delay) => expect(read(text)).toBe(delay))

  it.each(['', '-1', '601', '1000', '0.5', '5s', '1e2', ' 5'])('may not be %j', (text) =>
    expect(read(text)).toBe(INVALID),
  )
})

describe('TRUST_PROXY', () => {
  const read = readerOf(parseProxies)

  it.each([
    ['', false],
    ['loopback', ['loopback']],
    ['10.0.0.1', ['10.0.0.1']],
    ['::1, 10.0.0.0/8,fd00::/128', ['::1', '10.0.0.0/8', 'fd00::/128']],
    ['0.0.0.0/0', ['0.0.0.0/0']],
  ])('may be %j', (text, proxies) => expect(read(text)).toEqual(proxies))

  it.each([
    ...[',', '10.0.0.1,', 'true', '1', '*', 'proxy.example', '10.0.0', '10.0.0.1:80', '[::1]'],
    ...['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', 'fd00::/129', 'loopback/8'],
  ])('may not be %j', (text) => expect(read(text)).toBe(INVALID))
})

describe('CORS_ORIGINS', () => {
  const read = readerOf(parseOrigins)

  it.each<[string, string | string[]]>([
    ['', []],
    ['*', '*'],
    ['https://a.example', ['https://a.example']],
    ['https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000']],
    ['https://[::1]:3000', ['https://[::1]:3000']],
    ['capacitor://localhost,ionic://localhost', ['capacitor://localhost', 'ionic://localhost']],
    ['tauri://localhost', ['tauri://localhost']],
    ['app://.', ['app://.']],
    ['app://obsidian.md', ['app://obsidian.md']],
    ['x-app+1://a:8080', ['x-app+1://a:8080']],
    [`chrome-extension://${'a'.repeat(32)}`, [`chrome-extension://${'a'.repeat(32)}`]],
    ['moz-extension://0a-1b', ['moz-extension://0a-1b']],
  ])('may be %j', (text, origins) => expect(read(text)).toEqual(origins))

  it.each([
    ...['a.example', 'https://a.example/', 'https://a.example/x', 'https://A.example', 'https://a:443'],
    ...['null'],
    ...['https://a.example,', ',', '*,https://a.example', 'https://*.example/'],
    // Each would be taken, and match nothing that a browser sends.
    ...[
      'https://*.example.com',
      'https://*',
      'app://*',
      'https://a.*',
      'https://*.example.com,https://a.example',
    ],
    ...[
      'Capacitor://localhost',
      'capacitor://localhost/',
      'capacitor://user@localhost',
      'capacitor:localhost',
    ],
    ...['capacitor://', 'file://', 'wss://a.example', 'ftp://a.example', 'data:x', 'https://bücher.example'],
  ])('may not be %j', (text) => expect(read(text)).toBe(INVALID))
})

describe('RATE_LIMIT', () => {
  const read = readerOf(parseRateLimit)

  it('may be off', () => expect(read('off')).toBeNull())

  it.each([
    ['1/1', { requests: 1, seconds: 1 }],
    ['600/60', { requests: 600, seconds: 60 }],
    ['999999999/99999', { requests: 999_999_999, seconds: 99_999 }],
  ])('may be %j', (text, limit) => expect(read(text)).toEqual(limit))

  it.each([
    ...['', 'on', 'OFF', '600', '600/', '/60', '0/60', '600/0', '-1/60', '06/60', '6/060', '1.5/60'],
    ...['1/60/1'],
    ...['1000000000/60', '600/100000', ' 1/1', '1/1 '],
  ])('may not be %j', (text) => expect(read(text)).toBe(INVALID))
})

describe('a choice', () => {
  const read = readerOf(oneOf('true', 'false'))

  it.each(['true', 'false'])('may be %j', (text) => expect(read(text)).toBe(text))

  it.each(['', 'TRUE', 'true ', 'yes', '0'])('may not be %j', (text) => expect(read(text)).toBe(INVALID))
})

describe('GRAPHQL_LIMITS', () => {
  const defaults = { length: 16_384, tokens: 2_000, depth: 20, aliases: 30, directives: 30, cost: 4_000 }
  const read = readerOf(parseDocumentLimits)

  it.each([
    ['', {}],
    ['depth=1', { depth: 1 }],
    ['depth=999999999', { depth: 999_999_999 }],
    [
      'length=10, tokens=20 ,depth=30,aliases=40,directives=50,cost=60',
      { length: 10, tokens: 20, depth: 30, aliases: 40, directives: 50, cost: 60 },
    ],
    ['depth=7,depth=8', { depth: 8 }],
  ])('may be %j; the other limits keep their defaults', (text, limits) =>
    expect(read(text)).toEqual({ ...defaults, ...limits }),
  )

  it.each([
    ...['depth', 'depth=', '=5', 'depth=0', 'depth=-1', 'depth=05', 'depth=1.5', 'depth=1000000000'],
    ...['depth = 5'],
    ...['depth=5,', ',depth=5', 'width=5', 'constructor=5', 'DEPTH=5', 'depth=5;cost=5'],
    ...['depth=5,width=5,x=1'],
  ])('may not be %j', (text) => expect(read(text)).toBe(INVALID))

  it('does not change the defaults themselves', () => {
    read('depth=9')
    expect(read('')).toEqual(defaults)
  })
})
