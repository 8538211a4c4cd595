import { describe, expect, it } from 'vitest'
import {
  parseApiKeys,
  parseChoice,
  parseDatabaseUrl,
  parseDocumentLimits,
  parseHost,
  parseOrigins,
  parsePort,
  parseRateLimit,
  parseServerUrl,
  type Report,
} from '../../src/env.ts'

/** The parsed value, or the invalid variables. */
function parse<Value>(parser: (report: Report) => Value): Value | { invalid: string[] } {
  const invalid: string[] = []
  const value = parser((variable) => invalid.push(variable))
  return invalid.length > 0 ? { invalid } : value
}

describe('HOST', () => {
  const read = (text: string) => parse((report) => parseHost(text, report))

  it.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'a', '1', 'a-b.example.com', 'A.B'])(
    'may be %j',
    (text) => expect(read(text)).toBe(text),
  )

  it.each(['', ' ', '-a', 'a-', '.a', 'a.', 'a_b', 'a b', 'http://x', 'x:80', '[::1]', 'x/'])(
    'may not be %j',
    (text) => expect(read(text)).toEqual({ invalid: ['HOST'] }),
  )
})

describe('PORT', () => {
  const read = (text: string) => parse((report) => parsePort(text, report))

  it.each([
    ['0', 0],
    ['1', 1],
    ['65535', 65_535],
  ])('may be %j', (text, port) => expect(read(text)).toBe(port))

  it.each(['', '-1', '65536', '99999', '123456', '4e3', '0x50', '80.0', ' 80', '80 ', 'http'])(
    'may not be %j',
    (text) => expect(read(text)).toEqual({ invalid: ['PORT'] }),
  )
})

describe('DATABASE_URL', () => {
  const read = (text: string) => parse((report) => parseDatabaseUrl(text, report))

  it.each(['postgres://h/d', 'postgresql://user:password@h:5432/d?prepare=false', 'postgres:///d'])(
    'may be %j',
    (text) => expect(read(text)).toBe(text),
  )

  it.each(['', 'h:5432', 'mysql://h/d', 'http://h/d', '/d', 'postgres://h:65536/d'])(
    'may not be %j',
    (text) => expect(read(text)).toEqual({ invalid: ['DATABASE_URL'] }),
  )
})

describe('BASE_URL', () => {
  const read = (text?: string) => parse((report) => parseServerUrl('BASE_URL', text, report))

  it.each([undefined, ''])('may be absent: %j', (text) => expect(read(text)).toBeNull())

  it.each(['http://h/v1', 'https://h:8443/v1', 'https://h/pets/v1'])('may be %j', (text) =>
    expect(read(text)).toBe(text),
  )

  it.each([
    ...['h', '/v1', '//h/v1', 'ftp://h/v1', 'https://h', 'https://h/', 'https://h/v1/', 'https://h/v2'],
    ...['https://h/v1?a', 'https://h/v1#a', 'https://h/V1', 'https://h/?/v1'],
  ])('may not be %j', (text) => expect(read(text)).toEqual({ invalid: ['BASE_URL'] }))
})

describe('BASE_URL', () => {
  // parseServerUrl checks the parsed URL but returns the text, which links begin with.
  it.fails.each(['https://h/v1?', 'https://h/v1#', ' https://h/v1', 'https://h/v1\n', 'https:\\\\h/v1'])(
    'may not be %j, though URL.parse would correct it',
    (text) => {
      expect(parse((report) => parseServerUrl('BASE_URL', text, report))).toEqual({ invalid: ['BASE_URL'] })
    },
  )
})

describe('CORS_ORIGINS', () => {
  const read = (text: string) => parse((report) => parseOrigins(text, report))

  it.each<[string, string | string[]]>([
    ['', []],
    ['*', '*'],
    ['https://a.example', ['https://a.example']],
    ['https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000']],
  ])('may be %j', (text, origins) => expect(read(text)).toEqual(origins))

  it.each([
    ...[
      'a.example',
      'https://a.example/',
      'https://a.example/x',
      'https://A.example',
      'https://a:443',
      'null',
    ],
    ...['https://a.example,', ',', '*,https://a.example', 'https://*.example/'],
  ])('may not be %j', (text) => expect(read(text)).toEqual({ invalid: ['CORS_ORIGINS'] }))
})

describe('RATE_LIMIT', () => {
  const read = (text: string) => parse((report) => parseRateLimit('RATE_LIMIT', text, report))

  it('may be off', () => expect(read('off')).toBeNull())

  it.each([
    ['1/1', { requests: 1, seconds: 1 }],
    ['600/60', { requests: 600, seconds: 60 }],
    ['999999999/99999', { requests: 999_999_999, seconds: 99_999 }],
  ])('may be %j', (text, limit) => expect(read(text)).toEqual(limit))

  it.each([
    ...[
      '',
      'on',
      'OFF',
      '600',
      '600/',
      '/60',
      '0/60',
      '600/0',
      '-1/60',
      '06/60',
      '6/060',
      '1.5/60',
      '1/60/1',
    ],
    ...['1000000000/60', '600/100000', ' 1/1', '1/1 '],
  ])('may not be %j', (text) => expect(read(text)).toEqual({ invalid: ['RATE_LIMIT'] }))
})

describe('API_KEYS', () => {
  const read = (text: string) => parse((report) => parseApiKeys(text, report))
  const secret = 'abcXYZ019-._~+/'

  it.each([
    ['', []],
    [`ann:${secret}==`, [{ name: 'ann', secret: `${secret}==` }]],
    [`${'n'.repeat(64)}:${secret}`, [{ name: 'n'.repeat(64), secret }]],
    [
      `a-b_c.1:${secret}1 , bob:${secret}2`,
      [
        { name: 'a-b_c.1', secret: `${secret}1` },
        { name: 'bob', secret: `${secret}2` },
      ],
    ],
  ])('may be %j', (text, keys) => expect(read(text)).toEqual(keys))

  it.each<[string, string[]]>([
    [secret, ['API_KEYS, pair 1 of 1,']],
    [`:${secret}`, ['API_KEYS, pair 1 of 1,']],
    ['ann:', ['API_KEYS, pair 1 of 1,']],
    [`${'n'.repeat(65)}:${secret}`, ['API_KEYS, pair 1 of 1,']],
    [`a b:${secret}`, ['API_KEYS, pair 1 of 1,']],
    [`ann:${secret} x`, ['API_KEYS, pair 1 of 1,']],
    [`ann:${secret}=x`, ['API_KEYS, pair 1 of 1,']],
    [`ann:==`, ['API_KEYS, pair 1 of 1,']],
    [`ann:${secret}é`, ['API_KEYS, pair 1 of 1,']],
    [`ann:${secret},`, ['API_KEYS, pair 2 of 2,']],
    [`ann:${secret},bob:${secret}`, ['API_KEYS, pair 2 of 2,']],
    [`x,ann:${secret},y`, ['API_KEYS, pair 1 of 3,', 'API_KEYS, pair 3 of 3,']],
  ])('may not be %j', (text, invalid) => expect(read(text)).toEqual({ invalid }))
})

describe('a choice', () => {
  const read = (text: string) => parse((report) => parseChoice('GRAPHIQL', text, ['true', 'false'], report))

  it.each(['true', 'false'])('may be %j', (text) => expect(read(text)).toBe(text))

  it.each(['', 'TRUE', 'true ', 'yes', '0'])('may not be %j', (text) =>
    expect(read(text)).toEqual({ invalid: ['GRAPHIQL'] }),
  )
})

describe('GRAPHQL_LIMITS', () => {
  const defaults = { length: 1, tokens: 2, depth: 3, aliases: 4, directives: 5, cost: 6 }
  const read = (text: string) => parse((report) => parseDocumentLimits(text, defaults, report))

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
    ...[
      'depth',
      'depth=',
      '=5',
      'depth=0',
      'depth=-1',
      'depth=05',
      'depth=1.5',
      'depth=1000000000',
      'depth = 5',
    ],
    ...[
      'depth=5,',
      ',depth=5',
      'width=5',
      'constructor=5',
      'DEPTH=5',
      'depth=5;cost=5',
      'depth=5,width=5,x=1',
    ],
  ])('may not be %j', (text) => expect(read(text)).toEqual({ invalid: ['GRAPHQL_LIMITS'] }))

  it('does not change the defaults themselves', () => {
    read('depth=9')
    expect(defaults.depth).toBe(3)
  })
})
