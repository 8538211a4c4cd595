/**
 * Splits a URL with several hosts, which `URL` cannot parse, into one for each: `postgres://user@one:5432,two:5432/database`.
 * @returns the URL itself if it has one host
 */
export function splitHosts(url: string): string[] {
  const [, start = '', hosts = '', end = ''] = /^([^:/?#]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => `${start}${host}${end}`) : [url]
}

/** Whether a URL goes through a pooler such as PgBouncer, each transaction on another connection to Postgres. */
export function usesPooler(url: string): boolean {
  return URL.parse(splitHosts(url)[0] ?? '')?.searchParams.get('pooler') === 'transaction'
}
