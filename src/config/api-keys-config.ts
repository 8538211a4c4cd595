/** API keys as an operator writes them in API_KEYS. */
import type { Scope } from '../base/scope.ts'
import type { Environment } from './environment.ts'

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
  scope: Scope
}

const ENTRY = /^([^:]*):([^:]*)(?::(read|write))?$/
const EXPECTED =
  'name:secret, name:secret:read or name:secret:write, where name is 1 to 64 letters, digits, dots, dashes or underscores, ' +
  `and secret is at least ${MIN_SECRET_LENGTH} letters, digits and -._~+/ (RFC 6750)`

/**
 * Reads API_KEYS: `name:secret` or `name:secret:read`, separated by commas; a name may have several secrets. There is a problem for each
 * invalid one.
 */
export function readApiKeys(env: Environment): ApiKeyEntry[] {
  const entries = env.has('API_KEYS') ? env.text('API_KEYS').split(',') : []
  const secrets = new Set<string>()
  return entries.map((entry, index) => {
    const [, name = '', secret = '', scope = 'write'] = ENTRY.exec(entry.trim()) ?? []
    const place = `API_KEYS, key ${index + 1} of ${entries.length},`
    if (!isKeyName(name) || !isBearerToken(secret) || secret.length < MIN_SECRET_LENGTH)
      env.problems.push(`${place} must be ${EXPECTED}`)
    else if (secrets.has(secret)) env.problems.push(`${place} repeats the secret of an earlier key`)
    secrets.add(secret)
    return { name, secret, scope: scope === 'read' ? 'read' : 'write' }
  })
}
