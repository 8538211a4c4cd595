/** The key that texts are sorted and searched by: their first characters in lower case, ordered by code point. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { customType, type PgColumn } from 'drizzle-orm/pg-core'

/** Characters in a key. More might not fit into an index entry (2,704 bytes). */
export const SORT_KEY_LENGTH = 500

export const TEXT_KEY_TYPE = 'text collate "C"'

/**
 * The type of a column with keys, which Postgres compares by code point. It is generated (`sortKeyOf`) and stored: from an index on the
 * expression, Postgres could search by the key, but not return it.
 */
export const textKey = customType<{ data: string }>({ dataType: () => TEXT_KEY_TYPE })

/** A column that Postgres generates, a textKey. Cursors have its text, so it is never null. */
export type SortKey = PgColumn & { _: { generated: object; notNull: true } }

/** The key of a text. The first migration creates the collation, which folds case in the same way in every locale. */
export function sortKeyOf(text: Column | SQL): SQL {
  return sql`lower(left(${text}, ${sql.raw(String(SORT_KEY_LENGTH))}) collate ${sql.identifier('case_folding')})`
}
