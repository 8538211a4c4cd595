import { OperatorError } from '../base/errors.ts'
import { readDatabase } from './database-config.ts'
import {
  parseChoice,
  parseDocumentLimits,
  parseHost,
  parseInteger,
  parseOrigins,
  parseProxies,
  parseRateLimit,
  parseServerUrl,
  parseSwitch,
  PORTS,
} from './env.ts'
import { parseApiKeys } from './api-keys.ts'
import { parseMetricsSettings, parseTraceSettings } from './telemetry.ts'

export type Config = ReturnType<typeof readConfig>

const STORES = ['memory', 'postgres'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * Reads the configuration from the environment; an empty variable counts as absent.
 * @throws OperatorError that lists every problem, without secrets
 */
export function readConfig(env: NodeJS.ProcessEnv) {
  const problems: string[] = []
  const report = (variable: string, expected: string) => problems.push(`${variable} must be ${expected}`)

  const database = readDatabase(env, report)
  const apiKeys = parseApiKeys(env.API_KEYS || '', problems)
  const apiKeysFile = env.API_KEYS_FILE || null
  // An embedded database, and no keys but those that the server creates.
  const isDemo = database.kind === 'embedded' && apiKeys.length === 0 && apiKeysFile === null
  const config = {
    host: parseHost('HOST', env.HOST || '127.0.0.1', report),
    /** 0 picks a free port. */
    port: parseInteger('PORT', env.PORT || '4000', PORTS, report),
    database,
    apiKeys,
    /** A file with more keys, reloaded on SIGHUP; null: none. */
    apiKeysFile,
    /** Where the demo keeps its keys; null: this is not the demo. */
    demoDirectory: isDemo ? database.directory : null,
    /** Whether to migrate a Postgres at startup; otherwise the server waits until `petstore migrate` has done so. */
    migratesOnStart: parseSwitch('MIGRATE_ON_START', env.MIGRATE_ON_START || 'true', report),
    /** The contract's server addresses as clients see them, each ending in /v1; null: `production` is this server; `staging` is absent. */
    servers: {
      production: parseServerUrl('BASE_URL', env.BASE_URL, report),
      staging: parseServerUrl('STAGING_BASE_URL', env.STAGING_BASE_URL, report),
    },
    /** Origins that browsers may call from; '*' means any. */
    corsOrigins: parseOrigins(env.CORS_ORIGINS || (isDemo ? '*' : ''), report),
    /** Addresses and networks of proxies whose X-Forwarded-* headers are trusted; false: none. */
    trustProxy: env.TRUST_PROXY ? parseProxies(env.TRUST_PROXY, report) : (false as const),
    /** Seconds that the server keeps serving after a signal to stop, while /readyz already answers 503. */
    shutdownDelay: parseInteger(
      'SHUTDOWN_DELAY',
      env.SHUTDOWN_DELAY || '0',
      [0, 600],
      report,
      ', in seconds',
    ),
    /** For each API key, over both APIs; null: unlimited. */
    rateLimit: parseRateLimit('RATE_LIMIT', env.RATE_LIMIT || 'off', report),
    /** The limit for each client address without a valid key; null: unlimited. */
    authFailureLimit: parseRateLimit('AUTH_FAILURE_LIMIT', env.AUTH_FAILURE_LIMIT || '3000/60', report),
    /** Where requests and failures are counted: by each process in memory, or by all processes in the database. */
    rateLimitStore: parseChoice('RATE_LIMIT_STORE', env.RATE_LIMIT_STORE || 'memory', STORES, report),
    graphiql: parseSwitch('GRAPHIQL', env.GRAPHIQL || 'true', report),
    graphqlLimits: parseDocumentLimits(env.GRAPHQL_LIMITS || '', report),
    trustedDocuments: {
      /** The path of the manifest of trusted documents; null: there are none. */
      manifest: env.TRUSTED_DOCUMENTS || null,
      /** Whether to reject all other documents. */
      only: parseSwitch('TRUSTED_DOCUMENTS_ONLY', env.TRUSTED_DOCUMENTS_ONLY || 'false', report),
    },
    logLevel: parseChoice('LOG_LEVEL', env.LOG_LEVEL || 'info', LOG_LEVELS, report),
    metrics: parseMetricsSettings(env, report),
    traces: parseTraceSettings(env, report),
  }
  if (config.trustedDocuments.only && config.trustedDocuments.manifest === null) {
    report('TRUSTED_DOCUMENTS', 'the path of a manifest, since TRUSTED_DOCUMENTS_ONLY is true')
  }
  if (config.rateLimitStore === 'postgres' && config.database.kind === 'embedded') {
    problems.push('RATE_LIMIT_STORE=postgres needs DATABASE_URL')
  }
  if (problems.length === 0) return config
  throw new OperatorError(
    `The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  )
}
