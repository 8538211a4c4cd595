/** The keys that are not in the database: those that are configured, and the demo's own. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, OperatorError } from '../base/service-error.ts'
import {
  type ApiKeyEntry,
  isBearerToken,
  MIN_SECRET_LENGTH,
  parseApiKeyEntries,
} from '../config/api-keys-config.ts'
import { ApiKey, digestOf, type Keys, type KeySource, replaceKeys, type Scope } from './api-key.ts'

export function toKeys(entries: readonly ApiKeyEntry[]): Keys {
  return new Map(entries.map(({ name, secret, scope }) => [digestOf(secret), new ApiKey(name, scope)]))
}

export type ApiKeyFile = ReturnType<typeof openApiKeyFile>

/** The keys in the file that API_KEYS_FILE names. @throws OperatorError if it cannot be read, or has an invalid line */
export function openApiKeyFile(path: string) {
  let keys = readKeys(path)
  const find: KeySource = (digest) => keys.get(digest) ?? null
  return {
    find,
    get size() {
      return keys.size
    },
    /**
     * Reads the file again. If that fails, the earlier keys stay valid.
     * @returns the names that have lost a secret: it is no longer valid, or belongs to another name now
     * @throws OperatorError
     */
    reload(): ReadonlySet<string> {
      const replaced = replaceKeys(keys, readKeys(path))
      keys = replaced.keys
      return replaced.endedNames
    },
  }
}

/** One key per line; empty lines and lines that begin with # are ignored. */
function readKeys(path: string): Keys {
  const problems: string[] = []
  const entries = readText(path)
    .split('\n')
    .map((line, index) => ({ place: `API_KEYS_FILE, line ${index + 1},`, text: line.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
  const keys = parseApiKeyEntries(entries, problems)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  return toKeys(keys)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`API_KEYS_FILE cannot be read: ${messageOf(error)}`)
  }
}

/**
 * The demo's two keys: one that may do everything, and one for pages in browsers, which only reads. Each secret is stored in the data
 * directory (mode 0600), so it survives restarts.
 * @throws OperatorError if somebody has put a secret there that could be guessed, or that no request can send
 */
export function loadDemoKeys(directory: string): Record<Scope, ApiKeyEntry> {
  return {
    write: { name: 'demo', scope: 'write', secret: loadSecret(directory, 'demo-key') },
    read: { name: 'demo-read', scope: 'read', secret: loadSecret(directory, 'demo-read-key') },
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
