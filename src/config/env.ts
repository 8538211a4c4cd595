/** How each environment variable is parsed; config.ts lists them. */
import { isIP } from 'node:net'

/** Reports that a variable is invalid, and what it has to be. */
export type Report = (variable: string, expected: string) => void

export function parseHost(variable: string, text: string, report: Report): string {
  if (isIP(text) === 0 && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) {
    report(variable, 'a host name or an IP address, without a scheme or port')
  }
  return text
}

/** @param range the smallest and the greatest value; at most 7 digits */
export function parseInteger(
  variable: string,
  text: string,
  [min, max]: readonly [number, number],
  report: Report,
  unit = '',
): number {
  const value = Number(text)
  if (!/^\d{1,7}$/.test(text) || value < min || value > max)
    report(variable, `an integer from ${min} to ${max}${unit}`)
  return value
}

export const PORTS = [0, 65_535] as const

export function parseServerUrl(variable: string, text: string | undefined, report: Report): string | null {
  if (!text) return null
  const url = URL.parse(text)
  // A URL in a header must be ASCII: `href` is, whatever the text was.
  if (
    url &&
    ['http:', 'https:'].includes(url.protocol) &&
    !url.username &&
    !url.password &&
    !/[?#\s]/.test(text) &&
    url.pathname.endsWith('/v1')
  )
    return url.href
  report(
    variable,
    'an http or https URL whose path ends in /v1, without a user name, a query or spaces, like https://pets.example.com/v1',
  )
  return null
}

export function parseProxies(text: string, report: Report): string[] {
  const proxies = text.split(',').map((proxy) => proxy.trim())
  if (!proxies.every((proxy) => proxy === 'loopback' || isAddressOrNetwork(proxy))) {
    report('TRUST_PROXY', 'loopback, or a comma-separated list of IP addresses and networks like 10.0.0.0/8')
  }
  return proxies
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...others] = text.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)]
  return bits !== undefined && others.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
}

export function parseOrigins(text: string, report: Report): '*' | string[] {
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

export type RateLimit = NonNullable<ReturnType<typeof parseRateLimit>>

/** @returns null for no limit */
export function parseRateLimit(variable: string, text: string, report: Report) {
  if (text === 'off') return null
  const [, requests, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(text) ?? []
  if (requests === undefined) report(variable, 'off, or requests/seconds, like 600/60')
  return { requests: Number(requests), seconds: Number(seconds) }
}

export function parseChoice<const Choice extends string>(
  variable: string,
  text: string,
  choices: readonly [Choice, ...Choice[]],
  report: Report,
  expected = `one of ${choices.join(', ')}`,
): Choice {
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) report(variable, expected)
  return choice ?? choices[0]
}

export function parseSwitch(variable: string, text: string, report: Report): boolean {
  return parseChoice(variable, text, ['true', 'false'], report) === 'true'
}

/** Enough for GraphiQL's introspection query, and for a page of 100 items with all fields, cursors and counts. */
const DEFAULT_DOCUMENT_LIMITS = {
  /** Characters, including comments. */
  length: 16_384,
  tokens: 2_000,
  /** Levels of nested fields. */
  depth: 20,
  aliases: 30,
  directives: 30,
  /** See graphql/schema/query-cost.ts. */
  cost: 4_000,
}

/** Limits on a GraphQL document after fragment expansion. */
export type DocumentLimits = typeof DEFAULT_DOCUMENT_LIMITS

/** Parses `depth=10,cost=500`; limits that are not named keep their defaults. */
export function parseDocumentLimits(text: string, report: Report): DocumentLimits {
  const limits = { ...DEFAULT_DOCUMENT_LIMITS }
  for (const pair of text === '' ? [] : text.split(',')) {
    const [, name = '', value] = /^\s*(\w+)=([1-9]\d{0,8})\s*$/.exec(pair) ?? []
    if (isLimit(name)) limits[name] = Number(value)
    else {
      const names = Object.keys(limits).join(', ')
      report('GRAPHQL_LIMITS', `a comma-separated list like depth=10,cost=500, of ${names}`)
      break
    }
  }
  return limits
}

function isLimit(name: string): name is keyof DocumentLimits {
  return Object.hasOwn(DEFAULT_DOCUMENT_LIMITS, name)
}
