import { isIPv6 } from 'node:net'

/** A host and its port as in a URL: an IPv6 address is in brackets. */
export function formatHostPort({ host, port }: { host: string; port: number }): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}
