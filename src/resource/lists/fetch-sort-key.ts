/** The sort key of a text that a client sent: only Postgres knows how it folds case (fields/text-key.ts). */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import { placeholder, statementTemplate } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { sortKeyOf } from '../fields/text-key.ts'

/** A text in the statement. */
const sent = sql`sent`

const selectKeys = statementTemplate(
  'sortKeys',
  sql`
    select ${sortKeyOf(sent)} from unnest(${placeholder('texts', 'text[]')}) with ordinality as request (${sent}, number)
    order by number`,
  { placeholders: ['texts'] },
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
