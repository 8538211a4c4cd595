import { readFileSync } from 'node:fs'
import { type ApiKey, createKeySource, type KeySource } from './auth.ts'
import { parseApiKeys } from './env.ts'
import { StartError } from './errors.ts'

/** The keys of the file that API_KEYS_FILE names. */
export class ApiKeyFile {
  readonly #path: string
  #source: KeySource

  /** @throws StartError if the file cannot be read, or holds something else */
  constructor(path: string) {
    this.#path = path
    this.#source = createKeySource(readKeys(path))
  }

  readonly find: KeySource = (digest, token) => this.#source(digest, token)

  /** Reads the file again. If that fails, the keys of before stay valid. @throws StartError */
  reload(): void {
    this.#source = createKeySource(readKeys(this.#path))
  }
}

/** One key a line; empty lines and lines that begin with # do not count. */
function readKeys(path: string): (ApiKey & { secret: string })[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartError(
      `API_KEYS_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  const problems: string[] = []
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const keys = parseApiKeys('API_KEYS_FILE', lines, (variable, expected) =>
    problems.push(`${variable} must be ${expected}`),
  )
  if (problems.length > 0) throw new StartError(problems.join('\n'))
  return keys
}
