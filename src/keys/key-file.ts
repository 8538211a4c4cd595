import { readFileSync } from 'node:fs'
import { createKeySource, type KeySource } from '../auth.ts'
import { StartError } from '../errors.ts'
import { type ApiKeyEntry, parseApiKeyEntries } from './key-entry.ts'

/** The keys of the file that API_KEYS_FILE names. */
export class ApiKeyFile {
  readonly #path: string
  #keys: readonly ApiKeyEntry[]
  #source: KeySource

  /** @throws StartError if the file cannot be read, or holds something else */
  constructor(path: string) {
    this.#path = path
    this.#keys = readKeys(path)
    this.#source = createKeySource(this.#keys)
  }

  readonly find: KeySource = (digest, token) => this.#source(digest, token)

  /**
   * Reads the file again. If that fails, the keys of before stay valid.
   * @returns the names of keys that are no longer valid
   * @throws StartError
   */
  reload(): string[] {
    const before = this.#keys
    this.#keys = readKeys(this.#path)
    this.#source = createKeySource(this.#keys)
    const secrets = new Set(this.#keys.map(({ secret }) => secret))
    return before.filter(({ secret }) => !secrets.has(secret)).map(({ name }) => name)
  }
}

/** One key a line; empty lines and lines that begin with # do not count. */
function readKeys(path: string): ApiKeyEntry[] {
  const problems: string[] = []
  const entries = readText(path)
    .split('\n')
    .map((line, index) => ({ place: `API_KEYS_FILE, line ${index + 1},`, text: line.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
  const keys = parseApiKeyEntries(entries, (place, expected) => problems.push(`${place} must be ${expected}`))
  if (problems.length > 0) throw new StartError(problems.join('\n'))
  return keys
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(
      `API_KEYS_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
