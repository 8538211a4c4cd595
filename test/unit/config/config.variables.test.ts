/** What each variable may be, and may not be; the texts with a grammar of their own are in the files beside this one. */
import { describe, expect, it } from 'vitest'
import { type Config, readConfig } from '../../../src/config/config.ts'
import { deprecated, lasting } from '../support/operations.ts'

/** Other variables that some need to be read. */
const others = { DATABASE_URL: 'postgres://h/d', METRICS_PORT: '0', TRUSTED_DOCUMENTS: 'trusted.json' }

interface Variable {
  names: string[]
  /** The values that valid texts are read as. */
  read: (config: Config) => unknown
  valid: [text: string, value: unknown][]
  invalid: string[]
}

const asTheyAre = (...texts: string[]) => texts.map((text): [string, string] => [text, text])
const alone = (...texts: string[]) => texts.map((text): [string, string[]] => [text, [text]])
const limits = { length: 16_384, tokens: 2_000, depth: 20, aliases: 30, directives: 30, cost: 4_000 }

const variables: Variable[] = [
  {
    names: ['HOST', 'METRICS_HOST'],
    read: ({ host, metrics }) => (host === '127.0.0.1' ? metrics?.host : host),
    valid: asTheyAre('127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'a', '1', 'a-b.example.com', 'A.B'),
    invalid: [' ', '-a', 'a-', '.a', 'a.', 'a_b', 'a b', 'http://x', 'x:80', '[::1]', 'x/'],
  },
  {
    names: ['PORT', 'METRICS_PORT'],
    read: ({ port, metrics }) => (port === 4000 ? metrics?.port : port),
    valid: [
      ['0', 0],
      ['1', 1],
      ['65535', 65_535],
    ],
    invalid: ['-1', '65536', '99999', '123456', '4e3', '0x50', '80.0', ' 80', '80 ', 'http'],
  },
  {
    names: ['BASE_URL', 'STAGING_BASE_URL'],
    read: ({ servers }) => servers.production ?? servers.staging,
    valid: [
      ...asTheyAre('http://h/v1', 'https://h:8443/v1', 'https://h/store/v1'),
      // As they may stand in a header.
      ['https://例え.jp/v1', 'https://xn--r8jz45g.jp/v1'],
      ['https://H/läden/v1', 'https://h/l%C3%A4den/v1'],
      ['HTTPS://h:443/a/../v1', 'https://h/v1'],
      ['https:\\\\h/v1', 'https://h/v1'],
    ],
    invalid: [
      ...['h', '/v1', '//h/v1', 'ftp://h/v1', 'https://h', 'https://h/', 'https://h/v1/', 'https://h/v2'],
      ...['https://h/v1?a', 'https://h/v1#a', 'https://h/V1', 'https://h/?/v1', 'https://h/v1?'],
      ...['https://h/v1#'],
      ...[' https://h/v1', 'https://h/v1 ', 'https://h/v1\n', 'https://h/a\tb/v1', 'https://h/a b/v1'],
      ...['https://user@h/v1', 'https://user:password@h/v1', 'https://:password@h/v1', 'https:///v1'],
    ],
  },
  {
    names: ['SHUTDOWN_DELAY'],
    read: ({ shutdownDelaySeconds }) => shutdownDelaySeconds,
    valid: [
      ['0', 0],
      ['600', 600],
    ],
    invalid: ['-1', '601', '1000', '0.5', '5s', '1e2', ' 5'],
  },
  {
    names: ['KEEP_ALIVE'],
    read: ({ keepAliveSeconds }) => keepAliveSeconds,
    valid: [
      ['1', 1],
      ['3600', 3_600],
    ],
    invalid: ['0', '3601'],
  },
  {
    names: ['DATABASE_CONNECTIONS'],
    read: ({ database }) => database.kind === 'postgres' && database.connections,
    valid: [
      ['1', 1],
      ['1000', 1_000],
    ],
    invalid: ['0', '1001', '1.5', 'many'],
  },
  {
    names: ['TRUST_PROXY'],
    read: ({ trustProxy }) => trustProxy,
    valid: [
      ...alone('loopback', '10.0.0.1', '0.0.0.0/0'),
      ['::1, 10.0.0.0/8,fd00::/128', ['::1', '10.0.0.0/8', 'fd00::/128']],
    ],
    invalid: [
      ...[',', '10.0.0.1,', 'true', '1', '*', 'proxy.example', '10.0.0', '10.0.0.1:80', '[::1]'],
      ...['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', 'fd00::/129', 'loopback/8'],
    ],
  },
  {
    names: ['CORS_ORIGINS'],
    read: ({ corsOrigins }) => corsOrigins,
    valid: [
      ['*', '*'],
      ['https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000']],
      ['capacitor://localhost,ionic://localhost', ['capacitor://localhost', 'ionic://localhost']],
      ...alone('https://[::1]:3000', 'tauri://localhost', 'app://.', 'app://obsidian.md', 'x-app+1://a:8080'),
      ...alone(`chrome-extension://${'a'.repeat(32)}`, 'moz-extension://0a-1b'),
    ],
    invalid: [
      ...['a.example', 'https://a.example/', 'https://a.example/x', 'https://A.example', 'https://a:443'],
      ...['null', 'https://a.example,', ',', '*,https://a.example', 'https://*.example/'],
      // Each would be taken, and match nothing that a browser sends.
      ...['https://*.example.com', 'https://*', 'app://*', 'https://a.*'],
      ...['https://*.a.example,https://a.example'],
      ...['Capacitor://localhost', 'capacitor://localhost/', 'capacitor://user@localhost'],
      ...['capacitor:localhost', 'capacitor://', 'file://', 'wss://a.example', 'ftp://a.example'],
      ...['data:x', 'https://bücher.example'],
    ],
  },
  {
    names: ['RATE_LIMIT'],
    read: ({ rateLimit }) => rateLimit,
    valid: [
      ['off', null],
      ['1/1', { requests: 1, seconds: 1 }],
      ['999999999/99999', { requests: 999_999_999, seconds: 99_999 }],
    ],
    invalid: [
      ...['on', 'OFF', '600', '600/', '/60', '0/60', '600/0', '-1/60', '06/60', '6/060', '1.5/60', '1/60/1'],
      ...['1000000000/60', '600/100000', ' 1/1', '1/1 '],
    ],
  },
  {
    names: ['AUTH_FAILURE_LIMIT'],
    read: ({ authFailureLimit }) => authFailureLimit,
    valid: [['600/60', { requests: 600, seconds: 60 }]],
    invalid: ['on'],
  },
  {
    names: ['GRAPHQL_LIMITS'],
    read: ({ graphqlLimits }) => graphqlLimits,
    valid: [
      ['depth=1', { ...limits, depth: 1 }],
      ['cost=20000', { ...limits, cost: 20_000 }],
      ['depth=999999999', { ...limits, depth: 999_999_999 }],
      [
        'length=10, tokens=20 ,depth=30,aliases=40,directives=50,cost=60',
        { length: 10, tokens: 20, depth: 30, aliases: 40, directives: 50, cost: 60 },
      ],
      ['depth=7,depth=8', { ...limits, depth: 8 }],
      ['', limits],
    ],
    invalid: [
      'cost=20001',

      ...['depth', 'depth=', '=5', 'depth=0', 'depth=-1', 'depth=05', 'depth=1.5', 'depth=1000000000'],
      ...['depth = 5'],
      ...['depth=5,', ',depth=5', 'width=5', 'constructor=5', 'DEPTH=5', 'depth=5;cost=5'],
      ...['depth=5,width=5,x=1'],
    ],
  },
  {
    names: ['GRAPHIQL', 'MIGRATE_ON_START'],
    read: ({ graphiql, migratesOnStart }) => graphiql && migratesOnStart,
    valid: [
      ['true', true],
      ['false', false],
    ],
    invalid: ['TRUE', 'true ', 'yes', '0'],
  },
  {
    names: ['TRUSTED_DOCUMENTS_ONLY'],
    read: ({ trustedDocuments }) => trustedDocuments.only,
    valid: [['false', false]],
    invalid: ['1'],
  },
  {
    names: ['LOG_LEVEL'],
    read: ({ logLevel }) => logLevel,
    valid: asTheyAre('fatal', 'trace'),
    invalid: ['loud'],
  },
  {
    names: ['REMOVED_OPERATIONS'],
    read: ({ removedOperations }) => removedOperations,
    valid: [[`${deprecated}, ${deprecated}`, [deprecated, deprecated]]],
    invalid: [lasting, `${deprecated},`, deprecated.toLowerCase()],
  },
]

describe.each(variables.flatMap(({ names, ...variable }) => names.map((name) => ({ name, ...variable }))))(
  '$name',
  ({ name, read, valid, invalid }) => {
    it.each(valid)('may be %j', (text, value) =>
      expect(read(readConfig({ ...others, [name]: text }))).toEqual(value),
    )

    it.each(invalid)('may not be %j, and the error says what it must be', (text) => {
      expect(() => readConfig({ ...others, [name]: text })).toThrow(
        // The only problem.
        new RegExp(`^.*\n  - ${name} must be .*$`),
      )
    })
  },
)
