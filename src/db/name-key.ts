/** What names are compared by, and found by: small letters, in the order of their code points. */

/** Characters of a name that count. More than these do not always fit into an entry of an index (2,704 bytes). */
export const NAME_KEY_LENGTH = 500

/**
 * The key of a name, in SQL. Every database agrees on it, whatever its locale: a migration makes the collation pet_names.
 * @param name SQL
 */
export function nameKeyOf(name: string): string {
  return `(lower(left(${name}, ${NAME_KEY_LENGTH}) collate "pet_names") collate "C")`
}

/** The key of a row of pets. */
export const NAME_KEY = nameKeyOf('name')

/** The keys from `low` on, and before `high`; absent: without that bound. */
export interface NameRange {
  low?: string | undefined
  high?: string | undefined
}

/** The keys that start with a prefix, in the order of code points; without one, all. */
export function rangeOfPrefix(prefix = ''): NameRange {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  // Nothing lies behind the last code point, so that the one before it decides.
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return prefix === '' ? {} : { low: prefix }
  // Surrogates are no characters of their own.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return { low: prefix, high: String.fromCodePoint(...points, next) }
}

/** In the order of code points, as Postgres's collation "C" has it in UTF-8; JavaScript's own `<` is by UTF-16 units. */
export function isBefore(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0
}
