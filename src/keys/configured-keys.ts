/** The keys that are not in the database: those that are configured, and the demo's own. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import type { Scope } from '../base/scope.ts'
import { type ApiKeyEntry, isBearerToken, MIN_SECRET_LENGTH } from '../config/api-keys-config.ts'
import { toOpeningError } from '../db/opening-error.ts'
import { type ApiKey, digestOf, type KeySource } from './api-key.ts'

export function createKeySource(entries: readonly ApiKeyEntry[]): KeySource {
  const keys = new Map<string, ApiKey>(
    entries.map(({ name, secret, scope }) => [digestOf(secret), { name, scope, isValid: true }] as const),
  )
  return (digest) => keys.get(digest) ?? null
}

/**
 * The demo's two keys: one that may do everything, and a read-only one for pages in browsers. Each secret is stored in the data
 * directory (mode 0600), so it survives restarts.
 * @throws OperatorError if the operator has put a secret there that could be guessed, or that no request can send; OpeningError if
 * the files cannot be used
 */
export function loadDemoKeys(directory: string): Record<Scope, ApiKeyEntry> {
  try {
    return {
      write: { name: 'demo', scope: 'write', secret: loadSecret(directory, 'demo-key') },
      read: { name: 'demo-read', scope: 'read', secret: loadSecret(directory, 'demo-read-key') },
    }
  } catch (error) {
    throw toOpeningError('DATA_DIR', error)
  }
}

function loadSecret(directory: string, file: string): string {
  const path = join(directory, file)
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (stored.length >= MIN_SECRET_LENGTH && isBearerToken(stored)) return stored
  if (stored !== '')
    throw new OperatorError(
      `The demo key in ${path} must be at least ${MIN_SECRET_LENGTH} letters, digits and -._~+/. ` +
        'Delete the file, and the server creates a new key.',
    )
  // 256 random bits, in characters that need no quoting in a bearer token, a shell or a URL.
  const secret = randomBytes(32).toString('base64url')
  // Atomic: the file is written completely or not at all, even if the process ends here.
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return secret
}
