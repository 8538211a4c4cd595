import { ServiceError } from '../base/errors.ts'

/** What a key may do: `read` allows only reading, `write` everything. */
export type Scope = 'read' | 'write'

/**
 * An API key as the rest of the program knows it: by name, never by secret. Its source ends it, so its holders see at once
 * whether it is still valid.
 */
export class ApiKey {
  readonly name: string
  readonly scope: Scope
  #end: number

  /** @param end milliseconds since 1970; infinite: it does not expire */
  constructor(name: string, scope: Scope, end = Infinity) {
    this.name = name
    this.scope = scope
    this.#end = end
  }

  /** When it ends or ended, in milliseconds since 1970. */
  get end(): number {
    return this.#end
  }

  get isValid(): boolean {
    return this.#end === Infinity || Date.now() < this.#end
  }

  /** @param time milliseconds since 1970; 0: now */
  endAt(time: number): void {
    this.#end = time
  }
}

/** @throws ServiceError FORBIDDEN */
export function requireWriteScope({ scope }: ApiKey): void {
  if (scope !== 'write') throw new ServiceError('FORBIDDEN')
}

/** The keys of a source, by secret or by its digest. */
export type Keys = ReadonlyMap<string, ApiKey>

/**
 * Replaces the keys of a source with those that it has now. A key that it still has stays the same object, and any other one ends,
 * so that requests in flight see it.
 * @returns the keys to use from now on, and the names that have lost a secret, because it is no longer valid or has another name now
 */
export function replaceKeys(before: Keys, now: Keys): { keys: Keys; endedNames: Set<string> } {
  const keys = new Map(Array.from(now, ([secret, key]) => [secret, keepKey(before.get(secret), key)]))
  const gone = [...before].filter(([secret, key]) => keys.get(secret) !== key)
  for (const [, key] of gone) key.endAt(0)
  const ended = gone.filter(([secret, { name }]) => keys.get(secret)?.name !== name)
  return { keys, endedNames: new Set(ended.map(([, { name }]) => name)) }
}

function keepKey(before: ApiKey | undefined, now: ApiKey): ApiKey {
  if (before?.name !== now.name || before.scope !== now.scope) return now
  // Rotation lets a key end earlier.
  before.endAt(now.end)
  return before
}
