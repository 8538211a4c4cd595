/** The key that names are sorted and searched by: the first characters in lower case, ordered by code point. */
import { type Column, type SQL, sql } from 'drizzle-orm'

/** Characters in the key of a name. More might not fit into an index entry (2,704 bytes). */
export const NAME_KEY_LENGTH = 500

/** The key of a name in SQL. The collation pet_names, from a migration, makes it the same in every locale. */
export function nameKeyOf(name: Column | SQL): SQL {
  return sql`(lower(left(${name}, ${sql.raw(String(NAME_KEY_LENGTH))}) collate ${sql.identifier('pet_names')}) collate "C")`
}

/** Keys from `low` (inclusive) to `high` (exclusive); if one is absent, that end is open. */
export interface NameRange {
  low?: string | undefined
  high?: string | undefined
}

/** The range of all keys that start with a prefix, by code point; open at both ends without one. */
export function rangeOfPrefix(prefix = ''): NameRange {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  // The last code point has no successor, so increment the one before it.
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return prefix === '' ? {} : { low: prefix }
  // Skip the surrogates, which are not characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return { low: prefix, high: String.fromCodePoint(...points, next) }
}

/** Compares by code point, like Postgres's collation "C" in UTF-8. JavaScript's `<` compares UTF-16 units. */
export function isBefore(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0
}
