/** An export, from the stored items to the text of a file. */
import { sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { DedicatedConnection } from '../db/postgres/connections/dedicated-connection.ts'
import { fixedStatement, queryBuilder } from '../db/postgres/statement.ts'
import type { Item, Resource } from '../resource/fields/resource.ts'
import { createCsvWriter, toCsvHeader } from './csv.ts'
import { type Format, STANDARD_STREAM, writeOutput } from './files.ts'
import { createNdjsonWriter } from './ndjson.ts'
import { showProgress } from './progress.ts'

interface ExportTarget {
  file: string
  format: Format
  /** Whether a file that exists is replaced. */
  force: boolean
}

/**
 * Writes all items, by id.
 * @returns their number
 * @throws OperatorError if they cannot be written
 */
export async function exportItems<TItem extends Item>(
  database: Pick<Database, 'connect'>,
  resource: Resource<TItem>,
  { file, format, force }: ExportTarget,
): Promise<number> {
  await using connection = await database.connect()
  let items = 0
  async function* toText(): AsyncGenerator<string> {
    const write = format === 'csv' ? createCsvWriter(resource) : createNdjsonWriter(resource)
    if (format === 'csv') yield toCsvHeader(resource)
    // On a terminal, it would be mixed with the items.
    const isMixed = file === STANDARD_STREAM && process.stdout.isTTY
    using progress = isMixed ? null : showProgress('exporting', resource.words.plural, null)
    for await (const part of readAll(connection, resource)) {
      yield part.map(write).join('')
      items += part.length
      progress?.update(items, 0)
    }
  }
  await writeOutput(file, toText(), { force })
  return items
}

const beginReadOnly = fixedStatement('beginReadOnly', sql`begin read only`)
/** Rows that are read at once. */
const PART = sql.raw('500')

/**
 * All items by id, as they are now, in a transaction that ends with the connection. Each part is read after the previous one has been
 * consumed.
 */
export async function* readAll<TItem extends Item>(
  connection: DedicatedConnection,
  { words, table, columns, id, readRow }: Resource<TItem>,
): AsyncGenerator<TItem[]> {
  await connection.query(beginReadOnly)
  // A cursor keeps one snapshot.
  const cursor = sql.identifier(`exported_${words.plural}`)
  const all = queryBuilder.select(columns).from(table).orderBy(id.column)
  const declare = sql`declare ${cursor} no scroll cursor for ${all.getSQL()}`
  await connection.query(fixedStatement('declareExport', declare))
  const fetch = fixedStatement('fetchExport', sql`fetch ${PART} from ${cursor}`)
  for (;;) {
    const rows = await connection.query(fetch)
    if (rows.length === 0) return
    yield rows.map((row) => readRow(row))
  }
}
