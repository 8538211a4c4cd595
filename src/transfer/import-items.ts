/** An import, from the bytes of a file to the stored items. */
import { OperatorError, ServiceError } from '../base/service-error.ts'
import type { Database } from '../db/database.ts'
import type { DedicatedConnection } from '../db/postgres/connection.ts'
import { DatabaseError, isRejectedValue } from '../db/postgres/postgres-errors.ts'
import { requireValue, type Statement } from '../db/postgres/statement.ts'
import { textBytesOf } from '../resource/resource.ts'
import {
  createClaimSql,
  createImportSql,
  dropIndexes,
  dropTaken,
  type ImportedItem,
  type ImportSql,
  silenceEvents,
} from '../resource/transfer-statements.ts'
import { readCsv } from './csv.ts'
import type { Format, Input } from './files.ts'
import type { BadLine, ReadOptions } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { formatCount, showProgress } from './progress.ts'

/** The maximum number of items in one statement, and of bytes in their texts. */
const MAX_BATCH = 2_000
const MAX_BATCH_BYTES = 2 ** 20
/** The number of items above which it is worth building the indexes of an empty table at the end. */
const INDEX_LATER = 10_000
/** The maximum number of bad lines that are named; the others are only counted. */
const MAX_NAMED = 100

interface ImportOptions extends ReadOptions {
  format: Format
  skipsBad: boolean
}

/** What the steps of an import share. */
interface Run {
  database: Database
  connection: DedicatedConnection
  sql: ImportSql
  options: ImportOptions
  badLines: BadLines
}

/** @throws OperatorError that names the first bad line, unless bad lines are skipped; nothing has been imported if it throws */
export async function importItems(
  database: Database,
  input: Input,
  options: ImportOptions,
): Promise<{ items: number; badLines: BadLines }> {
  await using connection = await database.connect()
  const sql = createImportSql(options.resource, options.keepIds)
  const badLines = new BadLines(options.skipsBad)
  const run = { database, connection, sql, options, badLines }
  const ranges = await collect(run, input)
  if (options.keepIds) await claimIds(run)
  const [[collected] = []] = await connection.query(sql.count)
  const items = Number(requireValue(collected))
  await create(run, ranges, items)
  return { items, badLines }
}

/** Reads everything into the temporary table. While Postgres works on one batch, the next is read. */
async function collect(run: Run, input: Input): Promise<LineRange[]> {
  const { connection, sql } = run
  await connection.query(sql.createTable)
  const ranges: LineRange[] = []
  let sending: Promise<unknown> = Promise.resolve()
  for await (const batch of readBatches(run, input)) {
    await sending
    sending = connection.query(sql.collect.with(sql.toValues(batch)))
    // Awaited later.
    sending.catch(() => undefined)
    const [first, last] = [requireValue(batch[0]?.line), requireValue(batch.at(-1)?.line)]
    ranges.push({ first, last, items: batch.length })
  }
  await sending
  await connection.query(sql.indexLines)
  await connection.query(sql.analyze)
  return ranges
}

async function* readBatches(run: Run, input: Input): AsyncGenerator<ImportedItem[]> {
  const { options, badLines } = run
  using progress = showProgress('reading', options.resource.words.many, input.size)
  let bytes = 0
  async function* countBytes(): AsyncGenerator<Buffer> {
    for await (const chunk of input.bytes) {
      bytes += chunk.length
      yield chunk
    }
  }
  let items = 0
  let batch: ImportedItem[] = []
  let batchBytes = 0
  const read = options.format === 'csv' ? readCsv : readNdjson
  for await (const found of read(countBytes(), options)) {
    badLines.add(found.filter((line) => 'reason' in line))
    for (const { item } of found.filter((line) => 'item' in line)) {
      items += 1
      batch.push(item)
      batchBytes += textBytesOf(options.resource, item)
      if (batch.length < MAX_BATCH && batchBytes < MAX_BATCH_BYTES) continue
      yield batch
      batch = []
      batchBytes = 0
    }
    progress.update(items, bytes)
  }
  if (batch.length > 0) yield batch
}

/**
 * Drops items whose ids are taken, and ensures that no creation draws one of the others. The lock is held only briefly: while
 * the items are created, other clients can create theirs.
 */
async function claimIds({ connection, options: { resource }, badLines }: Run): Promise<void> {
  const sql = createClaimSql(resource)
  const reject = async (dropping: Statement) => {
    const { count, examples } = await dropTaken(connection, dropping)
    badLines.add(
      examples.map(({ line, id, firstLine }) => ({
        line,
        reason:
          firstLine === null
            ? `A ${resource.words.one} with id ${id} already exists.`
            : `The id ${id} is also on line ${firstLine}.`,
      })),
      count,
    )
  }
  await reject(sql.dropRepeatedIds)
  await connection.transaction(async () => {
    await connection.query(sql.lockCreations)
    await reject(sql.dropExistingIds)
    await connection.query(sql.reserveIds)
  })
}

/** Creates the collected items, all or none. @param total their number */
async function create(run: Run, ranges: readonly LineRange[], total: number): Promise<void> {
  const { database, connection, sql, options } = run
  try {
    await connection.transaction(async () => {
      await silenceEvents(connection, database, options.resource, total)
      const indexes = total > INDEX_LATER ? await dropIndexes(connection, database, options.resource) : []
      await runSteps(run, 'storing', total, ranges, async ({ first, last, items }) => {
        await connection.query(sql.insertRange.with({ first, last }))
        return items
      })
      await runSteps(run, 'indexing', total, indexes, async (index) => {
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

/** Shows the progress of several steps. @param step does one, and returns how many items it has processed */
async function runSteps<Step>(
  run: Run,
  label: string,
  total: number,
  steps: readonly Step[],
  step: (step: Step) => Promise<number>,
): Promise<void> {
  using progress = showProgress(label, run.options.resource.words.many, total)
  let items = 0
  for (const next of steps) {
    items = Math.min(items + (await step(next)), total)
    progress.update(items, items)
  }
}

/** The lines of one batch. */
interface LineRange {
  first: string
  last: string
  items: number
}

/** The lines of an import that are not items, or whose id is taken. */
class BadLines {
  count = 0
  readonly #skips: boolean
  readonly #named: BadLine[] = []

  /** @param skips whether the import continues without them */
  constructor(skips: boolean) {
    this.#skips = skips
  }

  /**
   * @param lines by number
   * @param count how many there are; `lines` may hold fewer
   * @throws OperatorError that names the first, unless they are skipped
   */
  add(lines: readonly BadLine[], count = lines.length): void {
    const [first] = lines
    if (first && !this.#skips) {
      throw new OperatorError(
        `${describeBadLine(first)}${describeMore(count - 1, ' so far')}\n` +
          'Nothing was imported. Correct the file, or skip such lines with --skip-bad.',
      )
    }
    this.count += count
    // Taken ids are found after all other bad lines.
    if (lines.length > 0) this.#named.push(...lines.slice(0, MAX_NAMED))
    this.#named.sort((one, other) => one.line - other.line).splice(MAX_NAMED)
  }

  /** The first of them with their reasons, and the number of the others. */
  describe(): string {
    const named = this.#named.map(describeBadLine).join('\n')
    return `${named}${describeMore(this.count - this.#named.length)}`
  }
}

function describeBadLine({ line, reason }: BadLine): string {
  return `line ${line}: ${reason}`
}

function describeMore(count: number, soFar = ''): string {
  return count > 0 ? `\n… and ${formatCount(count, 'more bad line')}${soFar}` : ''
}
