import { OperatorError } from '../base/operator-error.ts'
import { type ApiKeyEntry, readApiKeys } from './api-keys-config.ts'
import { type DatabaseConfig, readDatabase } from './database-config.ts'
import { Environment } from './environment.ts'
import { type GraphqlConfig, readGraphql } from './graphql-config.ts'
import { parseRemovedOperations } from './removed-operations.ts'
import {
  type MetricsSettings,
  readMetricsSettings,
  readTraceSettings,
  type TraceSettings,
} from './telemetry-config.ts'
import {
  integer,
  oneOf,
  parseHostName,
  parseOrigins,
  parsePort,
  parseProxies,
  parseRateLimit,
  parseServerUrl,
  parseSwitch,
  type RateLimit,
} from './variable-parsers.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export interface Config extends GraphqlConfig {
  host: string
  port: number
  database: DatabaseConfig
  /** The API keys that are not in the database. */
  apiKeys: readonly ApiKeyEntry[]
  /** Where the demo keeps its keys; null: this is not the demo. */
  demoDirectory: string | null
  /** Whether to migrate a Postgres at startup; otherwise the server waits until `petstore migrate` has done so. */
  migratesOnStart: boolean
  /** The contract's server addresses as clients see them, each ending in /v1; null: `production` is this server; `staging` is absent. */
  servers: { production: string | null; staging: string | null }
  /** Origins that browsers may call from; '*' means any. */
  corsOrigins: '*' | string[]
  /** Addresses and networks of proxies whose X-Forwarded-* headers are trusted; false: none. */
  trustProxy: string[] | false
  /** How long the server keeps serving after a signal to stop, while /readyz already answers 503. */
  shutdownDelaySeconds: number
  /** How long a client connection stays open without a request. */
  keepAliveSeconds: number
  /** Deprecated operations of the contract that are no longer served. */
  removedOperations: string[]
  /** For each API key, over both APIs; null: unlimited. */
  rateLimit: RateLimit | null
  /** The limit for each client address without a valid key; null: unlimited. */
  authFailureLimit: RateLimit | null
  logLevel: (typeof LOG_LEVELS)[number]
  /** null: metrics are off. */
  metrics: MetricsSettings | null
  /** null: traces are off. */
  traces: TraceSettings | null
  /** What is wrong, but does not keep the server from serving. */
  warnings: string[]
}

/**
 * Reads the configuration from the environment; an empty variable counts as absent. Besides, it reads the files of certificates that
 * database URLs name and, for a URL without a user, the name of the user that runs this process.
 * @throws OperatorError that lists every problem, without secrets
 */
export function readConfig(variables: NodeJS.ProcessEnv): Config {
  const env = new Environment(variables)
  const database = readDatabase(env)
  const apiKeys = readApiKeys(env)
  // The demo: an embedded database, and no keys but those that the server creates.
  const demoDirectory = database.kind === 'embedded' && apiKeys.length === 0 ? database.directory : null
  const config: Config = {
    host: env.read('HOST', '127.0.0.1', parseHostName),
    port: env.read('PORT', 4_000, parsePort),
    database,
    apiKeys,
    demoDirectory,
    migratesOnStart: env.read('MIGRATE_ON_START', true, parseSwitch),
    servers: {
      production: env.read('BASE_URL', null, parseServerUrl),
      staging: env.read('STAGING_BASE_URL', null, parseServerUrl),
    },
    corsOrigins: env.read('CORS_ORIGINS', demoDirectory === null ? [] : '*', parseOrigins),
    trustProxy: env.read('TRUST_PROXY', false, parseProxies),
    shutdownDelaySeconds: env.read('SHUTDOWN_DELAY', 0, integer(0, 600, ', in seconds')),
    keepAliveSeconds: env.read('KEEP_ALIVE', 72, integer(1, 3_600, ', in seconds')),
    removedOperations: env.read('REMOVED_OPERATIONS', [], parseRemovedOperations),
    rateLimit: env.read('RATE_LIMIT', null, parseRateLimit),
    authFailureLimit: env.read('AUTH_FAILURE_LIMIT', { requests: 3_000, seconds: 60 }, parseRateLimit),
    ...readGraphql(env),
    logLevel: env.read('LOG_LEVEL', 'info', oneOf(...LOG_LEVELS)),
    metrics: readMetricsSettings(env),
    ...readTraceSettings(variables),
  }
  if (env.problems.length === 0) return config
  throw new OperatorError(
    `The configuration is invalid:\n${env.problems.map((problem) => `  - ${problem}`).join('\n')}`,
  )
}
