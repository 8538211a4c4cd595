/** An import, from the bytes of a file to the stored items. */
import type { Database } from '../db/database.ts'
import { ServiceError, OperatorError } from '../base/errors.ts'
import type { SessionConnection } from '../db/postgres/session-connection.ts'
import { DatabaseError, isRejectedValue } from '../db/postgres/errors.ts'
import { requireValue } from '../db/postgres/statement.ts'
import type { Resource } from '../resource/resource.ts'
import {
  createImportSql,
  dropIndexes,
  dropTaken,
  type ImportSql,
  silenceEvents,
  type TakenIds,
} from '../resource/transfer.ts'
import { BadLines } from './bad-lines.ts'
import { Collector, type LineRange } from './collector.ts'
import { readCsv } from './csv.ts'
import type { Input } from './files.ts'
import type { Format } from './format.ts'
import { readLines } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { type Phase, Progress, type ProgressOutput } from './progress.ts'

/** The number of items above which it is worth building the indexes of an empty table at the end. */
const INDEX_LATER = 10_000

export interface ImportOptions {
  resource: Resource
  format: Format
  keepIds: boolean
  skipsBad: boolean
}

/** @throws OperatorError that names the first bad line, unless they are skipped; then nothing has been imported */
export async function importItems(
  database: Database,
  input: Input,
  options: ImportOptions,
  output: ProgressOutput,
): Promise<{ items: number; badLines: BadLines }> {
  const connection = await database.connect()
  const importSql = createImportSql(options.resource)
  try {
    const badLines = new BadLines(options.skipsBad)
    const ranges = await collect(connection, importSql, input, options, badLines, output)
    if (options.keepIds) await claimIds(connection, importSql, options.resource, badLines)
    const [[collected] = []] = await connection.query(importSql.count)
    const items = Number(requireValue(collected))
    await create(connection, database, importSql, ranges, items, options, output)
    return { items, badLines }
  } finally {
    await connection.close()
  }
}

/** Reads everything into the temporary table. */
async function collect(
  connection: SessionConnection,
  importSql: ImportSql,
  input: Input,
  options: ImportOptions,
  badLines: BadLines,
  output: ProgressOutput,
): Promise<LineRange[]> {
  await connection.query(importSql.createTable)
  const progress = new Progress(output, { label: 'reading', many: options.resource.words.many }, input.size)
  const collector = new Collector(connection, options.resource, importSql)
  let bytes = 0
  let items = 0
  const lines = readLines(count(input.bytes, (length) => (bytes += length)))
  const read = options.format === 'csv' ? readCsv : readNdjson
  try {
    for await (const found of read(lines, options)) {
      badLines.add(found.filter((line) => 'reason' in line))
      const good = found.flatMap((line) => ('item' in line ? [line.item] : []))
      await collector.add(good)
      items += good.length
      progress.update(items, bytes)
    }
    await collector.end()
  } finally {
    progress.stop()
  }
  await connection.query(importSql.indexLines)
  await connection.query(importSql.analyze)
  return collector.ranges
}

async function* count(source: AsyncIterable<Buffer>, add: (length: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    add(chunk.length)
    yield chunk
  }
}

/**
 * Drops items whose ids are taken, and ensures that no creation draws one of the others. The lock is held only briefly: the items are
 * created after it, while others create theirs.
 */
async function claimIds(
  connection: SessionConnection,
  importSql: ImportSql,
  resource: Resource,
  badLines: BadLines,
): Promise<void> {
  reject(badLines, resource, await dropTaken(connection, importSql.dropRepeatedIds))
  await connection.transaction(async () => {
    await connection.query(importSql.lockCreations)
    reject(badLines, resource, await dropTaken(connection, importSql.dropExistingIds))
    await connection.query(importSql.reserveIds)
  })
}

function reject(badLines: BadLines, { words: { one } }: Resource, { count, examples }: TakenIds): void {
  const lines = examples.map(({ line, id, firstLine }) => ({
    line,
    reason:
      firstLine === null
        ? `A ${one} with id ${id} already exists.`
        : `The id ${id} is also on line ${firstLine}.`,
  }))
  badLines.add(lines, count)
}

async function create(
  connection: SessionConnection,
  database: Database,
  importSql: ImportSql,
  ranges: readonly LineRange[],
  total: number,
  options: ImportOptions,
  output: ProgressOutput,
): Promise<void> {
  const { many } = options.resource.words
  const insertRange = options.keepIds ? importSql.insertRangeWithIds : importSql.insertRange
  try {
    await connection.transaction(async () => {
      await silenceEvents(connection, database, total)
      const indexes = total > INDEX_LATER ? await dropIndexes(connection, database, options.resource) : []
      await withProgress(
        output,
        { label: 'storing', many },
        total,
        ranges,
        async ({ first, last, items }) => {
          await connection.query(insertRange.with({ first, last }))
          return items
        },
      )
      await withProgress(output, { label: 'indexing', many }, total, indexes, async (index) => {
        await connection.query(index)
        return total / indexes.length
      })
    })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'IDS_EXHAUSTED')
      throw new OperatorError(`${error.message} Nothing was imported.`)
    if (!(error instanceof DatabaseError) || !isRejectedValue(error)) throw error
    throw new OperatorError(describeRejection(error.code, options))
  }
}

function describeRejection(sqlState: string, { keepIds, resource: { words } }: ImportOptions): string {
  if (sqlState === '23505' && keepIds)
    return `A ${words.one} with one of the ids was created meanwhile. Nothing was imported; try again.`
  return `The database rejected a ${words.one} (SQLSTATE ${sqlState}). Nothing was imported.`
}

/** @param run does one step. @returns how many items it has processed */
async function withProgress<Step>(
  output: ProgressOutput,
  phase: Phase,
  total: number,
  steps: readonly Step[],
  run: (step: Step) => Promise<number>,
): Promise<void> {
  const progress = new Progress(output, phase, total)
  let items = 0
  try {
    for (const step of steps) {
      items = Math.min(items + (await run(step)), total)
      progress.update(items, items)
    }
  } finally {
    progress.stop()
  }
}
