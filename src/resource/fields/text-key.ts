/** The key that texts are sorted and searched by: their first characters in lower case, ordered by code point. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { customType, makePgArray } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import { statementTemplate, placeholder } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'

/** Characters in a key. More might not fit into an index entry (2,704 bytes). */
export const SORT_KEY_LENGTH = 500

/**
 * The type of a column with keys, which Postgres compares by code point. It is generated (`sortKeyOf`) and stored: from an index on the
 * expression, Postgres could search by the key, but not return it.
 */
export const textKey = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** The key of a text. The first migration creates the collation, which folds case in the same way in every locale. */
export function sortKeyOf(text: Column | SQL): SQL {
  return sql`lower(left(${text}, ${sql.raw(String(SORT_KEY_LENGTH))}) collate ${sql.identifier('case_folding')})`
}

const selectKeys = statementTemplate(
  'sortKeys',
  sql`
    select ${sortKeyOf(sql.raw('text'))} from unnest(${placeholder('texts', 'text[]')}) with ordinality as request (text, number)
    order by number`,
)

const readInBatch = createBatch<string, string>(async (target, texts) => {
  const rows = await target.query(selectKeys.with({ texts: makePgArray([...texts]) }), {
    callers: texts.length,
  })
  return rows.map(([key]) => requireNotNull(key, 'A sort key'))
})

/** Asks Postgres for the key of a text, or of a prefix of at most SORT_KEY_LENGTH characters. */
export function fetchSortKey({ target }: RequestData, text: string): Promise<string> {
  return readInBatch(target, text)
}
