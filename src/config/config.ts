import { OperatorError } from '../base/operator-error.ts'
import { parseApiKeys } from './api-keys-config.ts'
import { readDatabase } from './database-config.ts'
import { readGraphql } from './graphql-config.ts'
import {
  createEnvReader,
  integer,
  oneOf,
  parseHostName,
  parseOrigins,
  parsePort,
  parseProxies,
  parseRateLimit,
  parseRemovedOperations,
  parseServerUrl,
  parseSwitch,
} from './variable-parsers.ts'
import { readMetricsSettings, readTraceSettings } from './telemetry-config.ts'

export type Config = ReturnType<typeof readConfig>

/**
 * Reads the configuration from the environment; an empty variable counts as absent.
 * @throws OperatorError that lists every problem, without secrets
 */
export function readConfig(env: NodeJS.ProcessEnv) {
  const problems: string[] = []
  const read = createEnvReader(env, problems)
  const access = readAccess(env, problems)
  const warnings: string[] = []
  const config = {
    host: read('HOST', '127.0.0.1', parseHostName),
    port: read('PORT', '4000', parsePort),
    ...access,
    /** Whether to migrate a Postgres at startup; otherwise the server waits until `petstore migrate` has done so. */
    migratesOnStart: read('MIGRATE_ON_START', 'true', parseSwitch),
    /** The contract's server addresses as clients see them, each ending in /v1; null: `production` is this server; `staging` is absent. */
    servers: {
      production: read('BASE_URL', '', parseServerUrl),
      staging: read('STAGING_BASE_URL', '', parseServerUrl),
    },
    /** Origins that browsers may call from; '*' means any. */
    corsOrigins: read('CORS_ORIGINS', access.demoDirectory === null ? '' : '*', parseOrigins),
    /** Addresses and networks of proxies whose X-Forwarded-* headers are trusted; false: none. */
    trustProxy: read('TRUST_PROXY', '', parseProxies),
    /** Seconds that the server keeps serving after a signal to stop, while /readyz already answers 503. */
    shutdownDelay: read('SHUTDOWN_DELAY', '0', integer(0, 600, ', in seconds')),
    /** Seconds that a client connection stays open without a request. */
    keepAlive: read('KEEP_ALIVE', '72', integer(1, 3_600, ', in seconds')),
    /** Deprecated operations of the contract that are no longer served. */
    removedOperations: read('REMOVED_OPERATIONS', '', parseRemovedOperations),
    /** For each API key, over both APIs; null: unlimited. */
    rateLimit: read('RATE_LIMIT', 'off', parseRateLimit),
    /** The limit for each client address without a valid key; null: unlimited. */
    authFailureLimit: read('AUTH_FAILURE_LIMIT', '3000/60', parseRateLimit),
    ...readGraphql(env, problems),
    logLevel: read('LOG_LEVEL', 'info', parseLogLevel),
    metrics: readMetricsSettings(env, problems),
    traces: readTraceSettings(env, warnings),
    /** What is wrong, but does not keep the server from serving. */
    warnings,
  }
  if (problems.length === 0) return config
  throw new OperatorError(
    `The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  )
}

const parseLogLevel = oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')

/** The database, the API keys that are not in it, and whether this is the demo. */
function readAccess(env: NodeJS.ProcessEnv, problems: string[]) {
  const database = readDatabase(env, problems)
  const apiKeys = parseApiKeys(env.API_KEYS || '', problems)
  // An embedded database, and no keys but those that the server creates.
  const isDemo = database.kind === 'embedded' && apiKeys.length === 0
  return {
    database,
    apiKeys,
    /** Where the demo keeps its keys; null: this is not the demo. */
    demoDirectory: isDemo ? database.directory : null,
  }
}
