/** Building indexes at once takes a fifth of the time that it takes to add a million pets to them one by one. */
import { getTableName, sql } from 'drizzle-orm'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { requireText } from './pet.ts'
import { buildStatement, type Statement } from '../db/postgres/statement.ts'
import { pets } from '../db/tables.ts'

const findAny = buildStatement('findAnyPet', sql`select from ${pets} limit 1`, { prepare: false }).with({})

/** Until the transaction ends, no other import decides whether to drop the indexes; everything else goes on. */
const lock = buildStatement('lockIndexes', sql`lock table ${pets} in share update exclusive mode`, {
  prepare: false,
}).with({})

/** Only the owner of a table may drop its indexes. */
const selectIndexes = buildStatement(
  'findIndexes',
  sql`
    select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
    join pg_class on pg_class.oid = indrelid
    where indrelid = ${sql.raw(`'${getTableName(pets)}'`)}::regclass and not indisunique and pg_has_role(relowner, 'usage')
    order by 1`,
  { prepare: false },
).with({})

/**
 * Drops the indexes of an empty table until the import has filled it, in one transaction. Everything else that uses the table waits
 * for its end, so a table that holds pets keeps its indexes. Another import that calls this waits, too.
 * @returns statements that recreate them
 */
export async function dropIndexes(connection: DedicatedConnection): Promise<Statement[]> {
  const indexes = await connection.query(selectIndexes)
  if (indexes.length === 0) return []
  // Before it looks: of two imports that have both looked, neither could drop an index.
  await connection.query(lock)
  if ((await connection.query(findAny)).length > 0) return []
  for (const [name] of indexes)
    await connection.query(toStatement('dropIndex', `drop index ${requireText(name)}`))
  return indexes.map(([, definition]) => toStatement('createIndex', requireText(definition)))
}

function toStatement(name: string, text: string): Statement {
  return buildStatement(name, sql.raw(text), { prepare: false }).with({})
}
