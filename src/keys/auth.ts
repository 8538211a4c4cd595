import { hash, randomBytes } from 'node:crypto'
import { ServiceError } from '../base/errors.ts'
import type { ApiKey, Keys } from './api-key.ts'

/** A place that keys are kept in. Finds a key by the SHA-256 digest of its secret. */
export type KeySource = (digest: string, token: string) => ApiKey | null

/**
 * Finds the API key of a request.
 * @param authorization every Authorization header of the request, as sent
 * @throws UnauthorizedError
 */
export type Authenticate = (authorization: readonly string[]) => ApiKey

/** 401, with the value of WWW-Authenticate (RFC 6750, section 3). */
export class UnauthorizedError extends ServiceError {
  readonly challenge: string

  constructor(message: string | undefined, error?: 'invalid_token') {
    super('UNAUTHORIZED', message)
    this.challenge = `Bearer realm="pet-store"${error ? `, error="${error}"` : ''}`
  }
}

class InvalidKeyError extends UnauthorizedError {
  constructor() {
    super('The API key is not valid.', 'invalid_token')
  }
}

/** A new secret: 256 random bits, in characters that need no quoting in a bearer token, a shell or a URL. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** @param keys by secret */
export function createKeySource(keys: Keys): KeySource {
  const byDigest = new Map(Array.from(keys, ([secret, key]) => [digestOf(secret), key]))
  return (digest) => byDigest.get(digest) ?? null
}

/** Checks bearer tokens (contract, "Authentication") against the sources in order. */
export function createAuthenticate(sources: readonly KeySource[]): Authenticate {
  return (authorization) => {
    const [header] = authorization
    if (header === undefined) throw new UnauthorizedError(undefined)
    if (authorization.length > 1) throw new UnauthorizedError('Send one Authorization header, not several.')
    const token = readBearerToken(header)
    if (token === null) throw new UnauthorizedError(undefined)
    const digest = digestOf(token)
    for (const source of sources) {
      const key = source(digest, token)
      if (key) return key
    }
    throw new InvalidKeyError()
  }
}

/**
 * Looks at a key again after a wait, such as for the body of a request: it may have been revoked or have expired meanwhile.
 * @throws UnauthorizedError
 */
export function requireValid(key: ApiKey): void {
  if (!key.isValid) throw new InvalidKeyError()
}

const SCHEME = 'bearer '

/** Reads the token without a regular expression: one with spaces on both sides backtracks in quadratic time. */
function readBearerToken(header: string): string | null {
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null
  return header.slice(SCHEME.length).trim() || null
}

/**
 * The SHA-256 digest of a secret, in base64url. Secrets are random, so nothing slower is needed. Looking it up takes a time that
 * reveals nothing about a secret: whoever guesses cannot choose how the digest begins.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
