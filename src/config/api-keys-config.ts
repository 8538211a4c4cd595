/** API keys as an operator writes them in API_KEYS. */

/** Names appear in the log. */
export function isKeyName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name)
}

/** A shorter secret could be guessed. */
export const MIN_SECRET_LENGTH = 16

/** Whether a bearer token may contain this (RFC 6750, 2.1). */
export function isBearerToken(text: string): boolean {
  return /^[\w.~+/-]+=*$/.test(text)
}

/** An API key with its secret, as an operator configures it. */
export interface ApiKeyEntry {
  name: string
  secret: string
  scope: 'read' | 'write'
}

/**
 * Parses API_KEYS: `name:secret` or `name:secret:read`, separated by commas; a name may have several secrets.
 * @param problems receives a sentence about each invalid one
 */
export function parseApiKeys(text: string, problems: string[]): ApiKeyEntry[] {
  const entries = text === '' ? [] : text.split(',')
  const secrets = new Set<string>()
  return entries.map((entry, index) => {
    const [name = '', secret = '', scope = 'write', ...rest] = entry.trim().split(':')
    const report = (problem: string) =>
      problems.push(`API_KEYS, key ${index + 1} of ${entries.length}, ${problem}`)
    if (!isKeyName(name) || !isBearerToken(secret)) {
      const expected =
        '1 to 64 letters, digits, dots, dashes or underscores, and secret is letters, digits and -._~+/'
      report(`must be name:secret or name:secret:read, where name is ${expected} (RFC 6750)`)
    } else if (!['read', 'write'].includes(scope) || rest.length > 0) {
      report('must be name:secret, name:secret:read or name:secret:write')
    } else if (secret.length < MIN_SECRET_LENGTH) {
      report(`must be name:secret, where secret has at least ${MIN_SECRET_LENGTH} characters`)
    } else if (secrets.has(secret)) {
      report('repeats the secret of an earlier key')
    }
    secrets.add(secret)
    return { name, secret, scope: scope === 'read' ? 'read' : 'write' }
  })
}
