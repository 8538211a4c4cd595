/**
 * The SQL of imports and exports. An import collects items in a temporary table, and from there creates them in one transaction.
 * Collecting uses no transaction: one that waits for a slow source would keep Postgres from cleaning up.
 */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { MAX_INT64 } from '../base/int64.ts'
import type { Database } from '../db/database.ts'
import { resetSubscriptions } from '../db/events/event-notifications.ts'
import type { DedicatedConnection } from '../db/postgres/connection.ts'
import {
  buildStatement,
  fixedStatement,
  nameOf,
  parameter,
  requireValue,
  type Statement,
  type TextRow,
} from '../db/postgres/statement.ts'
import { dialectOf } from './dialect.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  columnsOf,
  type Item,
  type Resource,
  statementName,
  toArrays,
  type Value,
} from './resource.ts'

/** The greatest id that an import keeps. New ids continue after it, so it leaves a million million of them. */
export const MAX_KEPT_ID = MAX_INT64 - 10n ** 12n

/** An item and the number of its line, in digits. Without an id, it gets a new one. */
export type ImportedItem = Readonly<Record<string, Value>> & { line: string; id: string | null }

/** The temporary table of an import, and its column with the number of an item's line. */
const stagedTable = ({ words }: Resource) => sql.identifier(`imported_${words.many}`)
const line = sql`"line"`

const MAX_EXAMPLES = sql.raw('100')

/** The statements of an import, in the order in which it runs them. */
export type ImportSql = ReturnType<typeof createImportSql>

/** @param keepsIds whether the items keep the ids that they have in the file */
export function createImportSql(resource: Resource, keepsIds: boolean) {
  const { words, table, fields, newFields, id } = resource
  const staged = stagedTable(resource)
  const collected = [{ ...id, name: 'line' }, ...fields]
  const inserted = columnNamesOf(keepsIds ? fields : newFields)
  return {
    createTable: fixedStatement(
      'createImport',
      sql`
        create temporary table ${staged} as
        select 0::bigint as ${line}, ${columnsOf(fields)} from ${table} with no data`,
    ),
    // Not COPY: it hangs on the socket of the embedded database.
    collect: buildStatement<string>(
      statementName('collect', words.many),
      sql`insert into ${staged} (${line}, ${columnNamesOf(fields)}) select * from unnest(${arrayParametersOf(collected)})`,
    ),
    toValues: (items: readonly ImportedItem[]) => toArrays(collected, items),
    indexLines: fixedStatement('indexImport', sql`alter table ${staged} add primary key (${line})`),
    analyze: fixedStatement('analyzeImport', sql`analyze ${staged}`),
    count: fixedStatement('countImport', sql`select count(*)::text from ${staged}`),
    insertRange: buildStatement<'first' | 'last'>(
      `${statementName('import', words.many)}${keepsIds ? 'WithIds' : ''}`,
      sql`
        insert into ${table} (${inserted}) ${keepsIds ? sql`overriding system value` : sql``}
        select ${inserted} from ${staged}
        where ${line} between ${parameter('first', 'bigint')} and ${parameter('last', 'bigint')} order by ${line}`,
    ),
  }
}

/** The statements by which an import claims the ids of the collected items, in the order in which it runs them. */
export function createClaimSql(resource: Resource) {
  const { words, table, id, sequence } = resource
  const staged = stagedTable(resource)
  const stagedLine = sql`${staged}.${line}`
  const stagedId = sql`${staged}.${nameOf(id.column)}`
  return {
    /** Drops items whose id is also on an earlier line. */
    dropRepeatedIds: fixedStatement(
      'dropRepeatedIds',
      sql`
        with numbered as (
          select ${line}, min(${line}) over (partition by ${nameOf(id.column)}) as first from ${staged}
        ), dropped as (
          delete from ${staged} using numbered
          where ${stagedLine} = numbered.line and numbered.line > numbered.first
          returning ${stagedLine}, ${stagedId}, numbered.first
        )
        select line::text, id::text, first::text, (select count(*) from dropped)::text from dropped
        order by dropped.line limit ${MAX_EXAMPLES}`,
    ),
    /** Until the transaction ends, no other connection creates items, so every drawn id has a visible item. Reads continue. */
    lockCreations: fixedStatement(
      statementName('lock', words.many),
      sql`lock table ${table} in share row exclusive mode`,
    ),
    /** Drops items whose id a stored item has. Finds the existing ids first, since Citus would otherwise load all ids. */
    dropExistingIds: fixedStatement(
      'dropExistingIds',
      sql`
        with existing as materialized (
          select ${id.column} from ${table} where ${id.column} in (select ${stagedId} from ${staged})
        ), dropped as (
          delete from ${staged} where ${stagedId} in (select ${nameOf(id.column)} from existing)
          returning ${stagedLine}, ${stagedId}
        )
        select line::text, id::text, null, (select count(*) from dropped)::text from dropped
        order by dropped.line limit ${MAX_EXAMPLES}`,
    ),
    /** Moves the sequence of ids beyond those of the collected items, never back. */
    reserveIds: fixedStatement(
      'reserveIds',
      sql`
        select setval(${sql.raw(`'${sequence}'`)}, greatest_id)
        from ${sql.identifier(sequence)}, (select max(${nameOf(id.column)}) as greatest_id from ${staged}) as kept
        where greatest_id > last_value or (greatest_id = last_value and not is_called)`,
    ),
  }
}

/** Runs a statement that drops items whose id is taken. @returns their number, and the first of them, by line */
export async function dropTaken(connection: DedicatedConnection, statement: Statement) {
  const rows = await connection.query(statement)
  return {
    count: Number(rows[0]?.[3] ?? 0),
    examples: rows.map(([line, id, first]) => ({
      line: Number(line),
      id: requireValue(id),
      firstLine: first == null ? null : Number(first),
    })),
  }
}

/** In this transaction, a single notification ends all subscriptions, instead of one for each of many items. */
export async function silenceEvents(
  connection: DedicatedConnection,
  database: Database,
  resource: Resource,
  items: number,
) {
  if (items <= dialectOf(database, resource).maxImportEvents) return
  await run(connection, 'silenceEvents', sql`select set_config('pet_store.silent', 'on', true)`)
  await connection.query(resetSubscriptions)
}

/**
 * Drops the indexes of an empty table until the import has filled it, in one transaction: building them at once takes a fifth of the
 * time that it takes to add a million items one by one. Everything else that uses the table waits for its end, so a table that holds
 * items keeps its indexes. Another import that calls this waits, too.
 * @returns statements that recreate them
 */
export async function dropIndexes(
  connection: DedicatedConnection,
  database: Database,
  resource: Resource,
): Promise<Statement[]> {
  if (!dialectOf(database, resource).rebuildsIndexes) return []
  const { table, words } = resource
  const name = sql.raw(`'${getTableName(table)}'`)
  // Only the owner of a table may drop its indexes.
  const isOwner = sql`select from pg_class where oid = ${name}::regclass and pg_has_role(relowner, 'usage')`
  if ((await run(connection, 'isOwner', isOwner)).length === 0) return []
  // Locks before looking: another import may be about to drop the indexes, and to fill the table.
  await run(connection, 'lockIndexes', sql`lock table ${table} in share update exclusive mode`)
  const any = await run(connection, statementName('findAny', words.one), sql`select from ${table} limit 1`)
  if (any.length > 0) return []
  const indexes = await run(
    connection,
    'findIndexes',
    sql`
      select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
      where indrelid = ${name}::regclass and not indisunique
      order by 1`,
  )
  for (const [name] of indexes) {
    await run(connection, 'dropIndex', sql.raw(`drop index ${requireValue(name)}`))
  }
  return indexes.map(([, definition]) => fixedStatement('createIndex', sql.raw(requireValue(definition))))
}

/** Rows per part: 32 MB, if all names have 64 KiB. */
const PART = sql.raw('500')

/** Begins a transaction that sees the items as they are now, and ends with the connection. @returns their number */
export async function beginSnapshot(connection: DedicatedConnection, { table }: Resource): Promise<number> {
  await run(connection, 'beginExport', sql`begin isolation level repeatable read, read only`)
  const [[total] = []] = await run(connection, 'countExport', sql`select count(*)::text from ${table}`)
  return Number(requireValue(total))
}

/** All items by id. Each part is read after the previous one has been consumed. */
export async function* readAll<One extends Item>(
  connection: DedicatedConnection,
  { words, table, fields, id, readRow }: Resource<One>,
): AsyncGenerator<One[]> {
  const cursor = sql.identifier(`exported_${words.many}`)
  const all = sql`select ${columnsOf(fields)} from ${table} order by ${id.column}`
  await run(connection, 'declareExport', sql`declare ${cursor} no scroll cursor for ${all}`)
  const fetch = fixedStatement('fetchExport', sql`fetch ${PART} from ${cursor}`)
  for (;;) {
    const rows = await connection.query(fetch)
    if (rows.length === 0) return
    yield rows.map((row) => readRow(row))
  }
}

function run(connection: DedicatedConnection, name: string, query: SQL): Promise<TextRow[]> {
  return connection.query(fixedStatement(name, query))
}
