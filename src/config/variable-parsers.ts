/** How the texts of environment variables are parsed; config.ts lists the variables. */
import { isIP } from 'node:net'
import { Invalid, type Parse } from './environment.ts'

export function parseHostName(text: string): string {
  if (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text
  throw new Invalid('a host name or an IP address, without a scheme or port')
}

/** An integer of at most 7 digits. */
export function integer(min: number, max: number, unit = ''): Parse<number> {
  return (text) => {
    const value = Number(text)
    if (/^\d{1,7}$/.test(text) && value >= min && value <= max) return value
    throw new Invalid(`an integer from ${min} to ${max}${unit}`)
  }
}

/** 0 picks a free port. */
export const parsePort = integer(0, 65_535)

/** @returns the base address of a server, as it may stand in a header */
export function parseServerUrl(text: string): string {
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
  throw new Invalid(
    'an http or https URL whose path ends in /v1, without a user name, a query or spaces, like https://pets.example.com/v1',
  )
}

export function parseProxies(text: string): string[] {
  const proxies = text.split(',').map((proxy) => proxy.trim())
  if (proxies.every((proxy) => proxy === 'loopback' || isAddressOrNetwork(proxy))) return proxies
  throw new Invalid('loopback, or a comma-separated list of IP addresses and networks like 10.0.0.0/8')
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...others] = text.split('/')
  const bits = { 4: 32, 6: 128 }[isIP(address)]
  return bits !== undefined && others.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
}

/** @returns '*' for any; otherwise values of the Origin header, which may be those of apps and browser extensions */
export function parseOrigins(text: string): '*' | string[] {
  if (text === '*') return text
  const origins = text.split(',').map((origin) => origin.trim())
  const other = origins.find((origin) => !isOrigin(origin))
  if (other === undefined) return origins
  throw new Invalid(
    '* or a comma-separated list of origins like https://shop.example.com or capacitor://localhost, without a path or a *; ' +
      `${JSON.stringify(other)} is not one`,
  )
}

/** Schemes whose pages send another Origin, or `null`. */
const WITHOUT_ORIGIN = ['file:', 'ftp:', 'ws:', 'wss:']

/** Browsers compare origins character by character, so it must be written as they write it. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.host === '' || WITHOUT_ORIGIN.includes(url.protocol)) return false
  return `${url.protocol}//${url.host}` === text && !text.includes('*')
}

export interface RateLimit {
  requests: number
  /** In which so many requests are allowed. */
  seconds: number
}

/** @returns null for no limit */
export function parseRateLimit(text: string): RateLimit | null {
  if (text === 'off') return null
  const [, requests, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(text) ?? []
  if (requests === undefined) throw new Invalid('off, or requests/seconds, like 600/60')
  return { requests: Number(requests), seconds: Number(seconds) }
}

export function oneOf<const Choice extends string>(...choices: readonly Choice[]): Parse<Choice> {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice === undefined) throw new Invalid(`one of ${choices.join(', ')}`)
    return choice
  }
}

export function parseSwitch(text: string): boolean {
  return oneOf('true', 'false')(text) === 'true'
}
