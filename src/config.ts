import {
  type DocumentLimits,
  type RateLimit,
  readApiKeys,
  readChoice,
  readDatabaseUrl,
  readDocumentLimits,
  readHost,
  readOrigins,
  readPort,
  readRateLimit,
  readServerUrl,
} from './config-values.ts'

/** All that one server process can be told from outside. */
export interface Config {
  host: string
  /** 0 picks a free port. */
  port: number
  database: { kind: 'postgres'; url: string } | { kind: 'embedded'; directory: string }
  apiKeys: { name: string; secret: string }[]
  /** The contract's server addresses as clients see them, each ending in /v1; the production default is this server itself. */
  servers: { production: string | null; staging: string | null }
  /** Origins that browsers may call from; '*' is any. */
  corsOrigins: '*' | string[]
  /** What each API key may do, at both doors together; null: as much as it wants. */
  rateLimit: RateLimit | null
  /** How often each address may come without a valid key; null: as often as it wants. */
  authFailureLimit: RateLimit | null
  graphiql: boolean
  graphqlLimits: DocumentLimits
  trustedDocuments: {
    /** The path of a manifest of documents that may be asked for by id; null: there are none. */
    manifest: string | null
    /** Nothing but those is served. */
    only: boolean
  }
  logLevel: LogLevel
}

/** With room for GraphiQL's introspection, and for a page of 100 with all that there is to an animal. */
const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = {
  length: 16_384,
  tokens: 2_000,
  depth: 20,
  aliases: 30,
  directives: 30,
  cost: 2_000,
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

/** Thrown by readConfig: all that is wrong with the environment, one sentence each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the whole configuration from the environment; an empty variable counts as absent.
 * @throws ConfigError that names every problem at once; messages never repeat a secret
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = []
  const report = (variable: string, expected: string) => problems.push(`${variable} must be ${expected}`)

  const apiKeys = readApiKeys(env.API_KEYS || '', report)
  // A demo: an embedded database, and no key but the one that it makes.
  const isDemo = !env.DATABASE_URL && apiKeys.length === 0
  const config: Config = {
    host: readHost(env.HOST || '127.0.0.1', report),
    port: readPort(env.PORT || '4000', report),
    database: env.DATABASE_URL
      ? { kind: 'postgres', url: readDatabaseUrl(env.DATABASE_URL, report) }
      : { kind: 'embedded', directory: env.DATA_DIR || '.data' },
    apiKeys,
    servers: {
      production: readServerUrl('BASE_URL', env.BASE_URL, report),
      staging: readServerUrl('STAGING_BASE_URL', env.STAGING_BASE_URL, report),
    },
    corsOrigins: readOrigins(env.CORS_ORIGINS || (isDemo ? '*' : ''), report),
    rateLimit: readRateLimit('RATE_LIMIT', env.RATE_LIMIT || 'off', report),
    authFailureLimit: readRateLimit('AUTH_FAILURE_LIMIT', env.AUTH_FAILURE_LIMIT || '3000/60', report),
    graphiql: readChoice('GRAPHIQL', env.GRAPHIQL || 'true', ['true', 'false'], report) === 'true',
    graphqlLimits: readDocumentLimits(env.GRAPHQL_LIMITS || '', DEFAULT_DOCUMENT_LIMITS, report),
    trustedDocuments: {
      manifest: env.TRUSTED_DOCUMENTS || null,
      only:
        readChoice(
          'TRUSTED_DOCUMENTS_ONLY',
          env.TRUSTED_DOCUMENTS_ONLY || 'false',
          ['true', 'false'],
          report,
        ) === 'true',
    },
    logLevel: readChoice('LOG_LEVEL', env.LOG_LEVEL || 'info', logLevels, report),
  }
  if (config.trustedDocuments.only && config.trustedDocuments.manifest === null) {
    report('TRUSTED_DOCUMENTS', 'the path of a manifest, since TRUSTED_DOCUMENTS_ONLY is true')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}
