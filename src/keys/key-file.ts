import { readFileSync } from 'node:fs'
import { type Keys, replaceKeys } from './api-key.ts'
import { createKeySource, type KeySource } from './auth.ts'
import { OperatorError } from '../base/errors.ts'
import { parseApiKeyEntries, toKeys } from './key-entry.ts'

/** The keys in the file that API_KEYS_FILE names. */
export class ApiKeyFile {
  readonly #path: string
  /** By secret. */
  #keys: Keys
  #source: KeySource

  /** @throws OperatorError if the file cannot be read, or has an invalid line */
  constructor(path: string) {
    this.#path = path
    this.#keys = readKeys(path)
    this.#source = createKeySource(this.#keys)
  }

  readonly find: KeySource = (digest, token) => this.#source(digest, token)

  /**
   * Reads the file again. If that fails, the earlier keys stay valid.
   * @returns the names that have lost a secret, because it is no longer valid or has another name now
   * @throws OperatorError
   */
  reload(): ReadonlySet<string> {
    const { keys, endedNames } = replaceKeys(this.#keys, readKeys(this.#path))
    this.#keys = keys
    this.#source = createKeySource(keys)
    return endedNames
  }
}

/** One key per line; empty lines and lines that begin with # are ignored. */
function readKeys(path: string): Keys {
  const problems: string[] = []
  const entries = readText(path)
    .split('\n')
    .map((line, index) => ({ place: `API_KEYS_FILE, line ${index + 1},`, text: line.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
  const keys = parseApiKeyEntries(entries, (place, expected) => problems.push(`${place} must be ${expected}`))
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  return toKeys(keys)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(
      `API_KEYS_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
