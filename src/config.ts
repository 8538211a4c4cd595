import { isIP } from 'node:net'

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
  logLevel: LogLevel
}

/** So many requests in so many seconds. */
export interface RateLimit {
  requests: number
  seconds: number
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
    logLevel: readChoice('LOG_LEVEL', env.LOG_LEVEL || 'info', logLevels, report),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

type Report = (variable: string, expected: string) => void

function readHost(text: string, report: Report): string {
  if (isIP(text) === 0 && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) {
    report('HOST', 'a host name or an IP address, without a scheme or port')
  }
  return text
}

function readPort(text: string, report: Report): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) report('PORT', 'an integer from 0 to 65535')
  return Number(text)
}

function readDatabaseUrl(text: string, report: Report): string {
  const url = URL.parse(text)
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    report('DATABASE_URL', 'a URL like postgres://user:password@host:5432/database')
  }
  return text
}

function readServerUrl(variable: string, text: string | undefined, report: Report): string | null {
  if (!text) return null
  const url = URL.parse(text)
  if (
    !url ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search ||
    url.hash ||
    !url.pathname.endsWith('/v1')
  ) {
    report(variable, 'an http or https URL whose path ends in /v1, like https://pets.example.com/v1')
  }
  return text
}

function readOrigins(text: string, report: Report): '*' | string[] {
  if (text === '*' || text === '') return text || []
  const origins = text.split(',').map((origin) => origin.trim())
  if (origins.some((origin) => URL.parse(origin)?.origin !== origin)) {
    report(
      'CORS_ORIGINS',
      '* or a comma-separated list of origins like https://shop.example.com, without a path',
    )
  }
  return origins
}

function readRateLimit(variable: string, text: string, report: Report): RateLimit | null {
  if (text === 'off') return null
  const [, requests, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(text) ?? []
  if (requests === undefined) report(variable, 'off, or requests/seconds, like 600/60')
  return { requests: Number(requests), seconds: Number(seconds) }
}

/** Key names show up in logs; secrets are what RFC 6750, 2.1 lets a bearer token be. */
function readApiKeys(text: string, report: Report): { name: string; secret: string }[] {
  if (text === '') return []
  const keys = text.split(',').map((pair) => {
    const [name = '', ...rest] = pair.trim().split(':')
    return { name, secret: rest.join(':') }
  })
  keys.forEach(({ name, secret }, index) => {
    const which = `API_KEYS, pair ${index + 1} of ${keys.length},`
    if (!/^[\w.-]{1,64}$/.test(name) || !/^[\w.~+/-]+=*$/.test(secret)) {
      const expected =
        '1 to 64 letters, digits, dots, dashes or underscores, and secret being letters, digits and -._~+/'
      report(which, `name:secret, name being ${expected} (RFC 6750)`)
    } else if (keys.findIndex((other) => other.name === name || other.secret === secret) !== index) {
      report(which, 'unlike every pair before it, in name and in secret')
    }
  })
  return keys
}

function readChoice<const Choice extends string>(
  variable: string,
  text: string,
  choices: readonly [Choice, ...Choice[]],
  report: Report,
): Choice {
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) report(variable, `one of ${choices.join(', ')}`)
  return choice ?? choices[0]
}
