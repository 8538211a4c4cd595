/** Error codes of node:net, node:tls and node:http, and what to do about them. */
const REMEDIES: [RegExp, (url: URL) => string][] = [
  [
    /^ECONNREFUSED$/,
    () => 'Nothing is listening there. Is the server running, and are the host and port right?',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, ({ hostname }) => `The name ${hostname} is unknown. Is it spelled correctly?`],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, () => 'Is there a network or a firewall in between?'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, () => 'Its certificate is for another name. Use that name.'],
  [/^CERT_HAS_EXPIRED$/, () => 'Renew its certificate.'],
  [
    /SELF_SIGNED|^UNABLE_TO_|^CERT_/,
    () =>
      'Its certificate is not trusted. If you run your own authority, name its certificate file in NODE_EXTRA_CA_CERTS.',
  ],
  [
    /^(EPROTO|ERR_SSL_.*)$/,
    () => 'It does not speak TLS there. Does the address begin with http:// instead?',
  ],
  [/^HPE_/, () => 'It does not speak HTTP there. Does the address begin with https:// instead?'],
  [/^ECONNRESET$/, () => 'It closed the connection. Does the address begin with https:// instead?'],
]

/** Says why there is no answer, and what to do. @param timeout in milliseconds */
export function describeNetworkError(error: unknown, url: URL, timeout: number): string {
  if (!(error instanceof Error)) return `${url.host} cannot be reached: ${String(error)}`
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return `${url.host} did not answer within ${timeout / 1000} seconds. Is it reachable from here, and healthy?`
  const code = 'code' in error ? String(error.code) : ''
  const remedy = REMEDIES.find(([pattern]) => pattern.test(code))?.[1](url)
  const reason = error.message || code
  return `${url.host} cannot be reached: ${reason}.${remedy === undefined ? '' : `\n${remedy}`}`
}
