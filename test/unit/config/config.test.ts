import { expect, it } from 'vitest'
import { OperatorError } from '../../../src/base/operator-error.ts'
import { toAddress, toAddresses, toConfig } from '../../support/address.ts'
import { readConfig } from '../../../src/config/config.ts'
import { deprecated } from '../support/operations.ts'

it('every variable has a default', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    database: { kind: 'embedded', directory: '.data' },
    apiKeys: [],
    demoDirectory: '.data',
    migratesOnStart: true,
    servers: { production: null, staging: null },
    corsOrigins: '*',
    trustProxy: false,
    shutdownDelaySeconds: 0,
    keepAliveSeconds: 72,
    removedOperations: [],
    rateLimit: null,
    authFailureLimit: { requests: 3000, seconds: 60 },
    graphiql: true,
    graphqlLimits: { length: 16_384, tokens: 2_000, depth: 20, aliases: 30, directives: 30, cost: 4_000 },
    trustedDocuments: { manifest: null, only: false },
    logLevel: 'info',
    metrics: null,
    traces: null,
    warnings: [],
  })
})

it('every variable is read', () => {
  const env = {
    HOST: '::',
    PORT: '0',
    DATABASE_URL: 'postgresql://user:pass@pooler:6432/store?pooler=transaction',
    DATABASE_LISTEN_URL: 'postgresql://user:pass@db:5432/store',
    DATABASE_READ_URL: 'postgres://user@one/store?max_lag=5&sslmode=require\n postgres://two:5433/store',
    DATABASE_CONNECTIONS: '3',
    DATA_DIR: '/ignored',
    API_KEYS: 'ann:the-secret-of-ann, bob.1:the-secret-of-bob=:read',
    MIGRATE_ON_START: 'false',
    BASE_URL: 'https://store.example.com/v1',
    STAGING_BASE_URL: 'http://staging.example.com/x/v1',
    CORS_ORIGINS: 'https://a.example, http://localhost:3000',
    TRUST_PROXY: 'loopback, 10.0.0.0/8',
    SHUTDOWN_DELAY: '5',
    KEEP_ALIVE: '620',
    REMOVED_OPERATIONS: deprecated,
    RATE_LIMIT: '600/60',
    AUTH_FAILURE_LIMIT: 'off',
    GRAPHIQL: 'false',
    GRAPHQL_LIMITS: 'depth=5, cost=100',
    TRUSTED_DOCUMENTS: 'trusted.json',
    TRUSTED_DOCUMENTS_ONLY: 'true',
    LOG_LEVEL: 'silent',
    METRICS_PORT: '9464',
    METRICS_HOST: '::1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  expect(readConfig(env)).toEqual({
    host: '::',
    port: 0,
    database: {
      kind: 'postgres',
      hosts: toAddresses(env.DATABASE_URL),
      directHosts: toAddresses(env.DATABASE_LISTEN_URL),
      standbys: [
        { address: toAddress('postgres://user@one/store?sslmode=require'), maxLagSeconds: 5 },
        { address: toAddress('postgres://two:5433/store'), maxLagSeconds: 10 },
      ],
      connections: 3,
    },
    apiKeys: [
      { name: 'ann', secret: 'the-secret-of-ann', scope: 'write' },
      { name: 'bob.1', secret: 'the-secret-of-bob=', scope: 'read' },
    ],
    demoDirectory: null,
    migratesOnStart: false,
    servers: { production: env.BASE_URL, staging: env.STAGING_BASE_URL },
    corsOrigins: ['https://a.example', 'http://localhost:3000'],
    trustProxy: ['loopback', '10.0.0.0/8'],
    shutdownDelaySeconds: 5,
    keepAliveSeconds: 620,
    removedOperations: [deprecated],
    rateLimit: { requests: 600, seconds: 60 },
    authFailureLimit: null,
    graphiql: false,
    graphqlLimits: { length: 16_384, tokens: 2_000, depth: 5, aliases: 30, directives: 30, cost: 100 },
    trustedDocuments: { manifest: 'trusted.json', only: true },
    logLevel: 'silent',
    metrics: { host: '::1', port: 9464 },
    traces: {
      url: 'http://collector:4318/v1/traces',
      protocol: 'http/json',
      isParentBased: true,
      ratio: 0.01,
      batch: { delayMs: 100, queue: 2048, size: 512 },
    },
    warnings: [],
  })
})

it('an empty variable counts as absent', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '', API_KEYS: '', BASE_URL: '' })).toEqual(readConfig({}))
})

it.each([
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_URL', 'postgres://us%zzer@one/x'],
  ['DATABASE_URL', 'postgres://user:100%@one,two/x'],
  ['DATABASE_READ_URL', 'postgres://user:p@ss#word@one/x'],
  ['DATABASE_LISTEN_URL', 'postgres://one/x'],
  ['DATABASE_READ_URL', 'postgres://one/x'],
  ['API_KEYS', 'name:with space'],
  ['TRUSTED_DOCUMENTS_ONLY', 'true'],
])('%s=%s is rejected, and the error names the variable', (variable, text) => {
  expect(() => readConfig({ [variable]: text })).toThrow(variable)
})

it('scripts of other origins may call the demo, and no other server unless CORS_ORIGINS names them', () => {
  expect(readConfig({ API_KEYS: 'ann:a-secret-of-the-tests' }).corsOrigins).toEqual([])
  expect(readConfig({ DATABASE_URL: 'postgres://x/y' }).corsOrigins).toEqual([])
})

it('dedicated connections need a URL that bypasses the pooler; without a pooler, there is one URL', () => {
  const [direct, pooled] = ['postgres://db/x', 'postgres://pooler/x?pooler=transaction']
  const read = (url: string, sessionUrl = '') =>
    readConfig({ DATABASE_URL: url, DATABASE_LISTEN_URL: sessionUrl }).database
  expect(read(direct)).toEqual(toConfig(direct))
  expect(read(direct, direct)).toEqual(toConfig(direct))
  expect(read(pooled, direct)).toEqual({ ...toConfig(pooled), directHosts: toAddresses(direct) })
  for (const sessionUrl of ['', pooled])
    expect(() => read(pooled, sessionUrl)).toThrow('DATABASE_LISTEN_URL must be a URL of the same database')
})

it('all problems are reported at once, without secrets', () => {
  const env = { PORT: 'x', GRAPHIQL: 'x', API_KEYS: 'ann:hush hush' }
  expect(() => readConfig(env)).toThrow(OperatorError)
  expect(() => readConfig(env)).toThrow(/^.*(\n {2}- (PORT|GRAPHIQL|API_KEYS)\b.*){3}$/)
  expect(() => readConfig(env)).not.toThrow('hush')
})

it.each(['ann:hunter?2hush', 'ann:1?hush', 'ann:1?hush=', 'ann:1?ssl=true&hush', 'ann:1/2?hush'])(
  'a password that is not encoded is not printed, although a part of postgres://%s@db/store looks like a parameter',
  (login) => {
    const url = `postgres://${login}@db/store`
    const env = { DATABASE_URL: url, DATABASE_LISTEN_URL: `${url}x`, DATABASE_READ_URL: url }
    expect(() => readConfig(env)).toThrow(/^.*(\n {2}- DATABASE_(LISTEN_|READ_)?URL .*[?] %3F.*){3}$/)
    expect(() => readConfig(env)).not.toThrow('hush')
  },
)
