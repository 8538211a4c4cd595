/** The key that texts are sorted and searched by: their first characters in lower case, ordered by code point. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { customType, makePgArray } from 'drizzle-orm/pg-core'
import { createBatch } from '../db/postgres/batch.ts'
import { buildStatement, parameter, requireValue } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'

/** Characters in a key. More might not fit into an index entry (2,704 bytes). */
export const KEY_LENGTH = 500

/**
 * The type of a column with keys, which Postgres compares by code point. It is generated from `sortKeyOf` another column, and stored:
 * an index on an expression also needs the expression's columns for a scan of the index alone.
 */
export const textKey = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** The key of a text. The first migration creates the collation, which folds case in the same way in every locale. */
export function sortKeyOf(text: Column | SQL): SQL {
  return sql`lower(left(${text}, ${sql.raw(String(KEY_LENGTH))}) collate ${sql.identifier('case_folding')})`
}

const selectKeys = buildStatement<'texts'>(
  'sortKeys',
  sql`
    select ${sortKeyOf(sql.raw('text'))} from unnest(${parameter('texts', 'text[]')}) with ordinality as request (text, number)
    order by number`,
)

const readInBatch = createBatch<string, string>(async (database, texts) => {
  const rows = await database.query(selectKeys.with({ texts: makePgArray([...texts]) }), {
    callers: texts.length,
  })
  return rows.map(([key]) => requireValue(key))
})

/** Asks Postgres for the key of a text, or of a prefix of at most KEY_LENGTH characters. */
export function readSortKey({ target }: RequestData, text: string): Promise<string> {
  return readInBatch(target, text)
}

/** Keys from `low` (inclusive) to `high` (exclusive); if one is absent, that end is open. */
export interface KeyRange {
  low?: string | undefined
  high?: string | undefined
}

/** The range of all keys that start with a prefix, by code point; open at both ends without one. */
export function rangeOfPrefix(prefix = ''): KeyRange {
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
