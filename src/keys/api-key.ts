/** API keys, and how a request's key is found. */
import { hash } from 'node:crypto'
import type { Scope } from '../base/scope.ts'
import { ServiceError } from '../base/service-error.ts'

/** An API key by name, never by secret. */
export interface ApiKey {
  readonly name: string
  readonly scope: Scope
  /** Whether it is still valid: it may expire or be revoked while a request is in flight. */
  readonly isValid: boolean
}

/** @throws ServiceError FORBIDDEN */
export function requireWriteScope({ scope }: ApiKey): void {
  if (scope !== 'write') throw new ServiceError('FORBIDDEN')
}

/** Finds a key in one of the places where keys are kept. @param digest of its secret, which is the token */
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

function createInvalidKeyError(): UnauthorizedError {
  return new UnauthorizedError('The API key is not valid.', 'invalid_token')
}

/** Checks bearer tokens (contract, "Authentication") against the sources in order. */
export function createAuthenticate(sources: readonly KeySource[]): Authenticate {
  return (authorization) => {
    const [header] = authorization
    if (header === undefined) throw new UnauthorizedError(undefined)
    if (authorization.length > 1) throw new UnauthorizedError('Send one Authorization header, not several.')
    const token = readBearerToken(header)
    if (token === null)
      throw new UnauthorizedError(
        'The Authorization header has no bearer token: send Authorization: Bearer <API_KEY>.',
      )
    const digest = digestOf(token)
    for (const source of sources) {
      const key = source(digest, token)
      if (key) return key
    }
    throw createInvalidKeyError()
  }
}

/** Checks a key again after a wait, such as that for a body: it may have been revoked or have expired. @throws UnauthorizedError */
export function requireValid(key: ApiKey): void {
  if (!key.isValid) throw createInvalidKeyError()
}

const SCHEME = 'bearer '

/** Reads the token without a regular expression: one with spaces on both sides backtracks in quadratic time. */
function readBearerToken(header: string): string | null {
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null
  return header.slice(SCHEME.length).trim() || null
}

/**
 * The SHA-256 digest of a secret, in base64url. Secrets are random, so nothing slower is needed. The time of a lookup could
 * reveal a part of a digest at most, which does not lead to the secret.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
