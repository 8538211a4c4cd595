import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../base/errors.ts'

/** What a key may do: `read` allows only reading, `write` everything. */
export type Scope = 'read' | 'write'

/** An API key as the rest of the program knows it: by name, never by secret. */
export interface ApiKey {
  name: string
  scope: Scope
}

/** @throws ServiceError FORBIDDEN */
export function requireWriteScope({ scope }: ApiKey): void {
  if (scope !== 'write') throw new ServiceError('FORBIDDEN')
}

/** A place that keys are kept in. Finds a key by the SHA-256 digest of its secret. */
export type KeySource = (digest: Buffer, token: string) => ApiKey | null | Promise<ApiKey | null>

/**
 * Finds the API key of a request.
 * @param authorization every Authorization header of the request, as sent
 * @throws UnauthorizedError
 */
export type Authenticate = (authorization: readonly string[]) => Promise<ApiKey>

/** 401, with the value of WWW-Authenticate (RFC 6750, section 3). */
export class UnauthorizedError extends ServiceError {
  readonly challenge: string

  constructor(message: string | undefined, error?: 'invalid_token') {
    super('UNAUTHORIZED', message)
    this.challenge = `Bearer realm="pet-store"${error ? `, error="${error}"` : ''}`
  }
}

/** A new secret: 256 random bits, in characters that need no quoting in a bearer token, a shell or a URL. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Keys that are known from the start. */
export function createKeySource(keys: readonly (ApiKey & { secret: string })[]): KeySource {
  const candidates = keys.map(({ name, scope, secret }) => ({
    key: { name, scope },
    digest: digestOf(secret),
  }))
  return (digest) => {
    // Compares every key, so that timing reveals nothing.
    let found: ApiKey | null = null
    for (const candidate of candidates) if (timingSafeEqual(candidate.digest, digest)) found = candidate.key
    return found
  }
}

/** Checks bearer tokens (contract, "Authentication") against the sources in order. */
export function createAuthenticate(sources: readonly KeySource[]): Authenticate {
  return async (authorization) => {
    const [header] = authorization
    if (header === undefined) throw new UnauthorizedError(undefined)
    if (authorization.length > 1) throw new UnauthorizedError('Send one Authorization header, not several.')
    const token = readBearerToken(header)
    if (token === null) throw new UnauthorizedError(undefined)
    const digest = digestOf(token)
    for (const source of sources) {
      const key = await source(digest, token)
      if (key) return key
    }
    throw new UnauthorizedError('The API key is not valid.', 'invalid_token')
  }
}

const SCHEME = 'bearer '

/** Reads the token without a regular expression: one with spaces on both sides backtracks in quadratic time. */
function readBearerToken(header: string): string | null {
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null
  return header.slice(SCHEME.length).trim() || null
}

/** SHA-256: secrets are random, so nothing slower is needed. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
