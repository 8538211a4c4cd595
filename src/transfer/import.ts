/** An import, from the bytes of a file to the stored pets. */
import type { Database } from '../db/database.ts'
import type { Dialect } from '../db/dialect.ts'
import {
  dropExistingIds,
  dropRepeatedIds,
  lockCreations,
  reserveIds,
  type TakenIds,
} from '../pets/import-ids.ts'
import * as sql from '../pets/import-pets.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { ServiceError } from '../base/errors.ts'
import { DatabaseError, isRejectedValue } from '../db/postgres/errors.ts'
import { BadLines } from './bad-lines.ts'
import { Collector, type LineRange } from './collector.ts'
import { readCsv } from './csv.ts'
import type { Input } from './files.ts'
import type { Format } from './format.ts'
import { readLines } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { Progress, type ProgressOutput } from './progress.ts'
import { TransferError } from './transfer-error.ts'

/** The number of pets above which it is worth building the indexes of an empty table at the end. */
const INDEX_LATER = 10_000

export interface ImportOptions {
  format: Format
  keepIds: boolean
  skipsBad: boolean
}

/** @throws TransferError that names the first bad line, unless they are skipped; then nothing has been imported */
export async function importPets(
  database: Database,
  input: Input,
  options: ImportOptions,
  output: ProgressOutput,
): Promise<{ pets: number; badLines: BadLines }> {
  const connection = await database.connect()
  try {
    const badLines = new BadLines(options.skipsBad)
    const ranges = await collect(connection, input, options, badLines, output)
    if (options.keepIds) await claimIds(connection, badLines)
    const pets = await sql.countCollected(connection)
    await create(connection, database.dialect, ranges, pets, options, output)
    return { pets, badLines }
  } finally {
    await connection.close()
  }
}

/** Reads everything into the temporary table. */
async function collect(
  connection: DedicatedConnection,
  input: Input,
  options: ImportOptions,
  badLines: BadLines,
  output: ProgressOutput,
): Promise<LineRange[]> {
  await sql.beginImport(connection)
  const progress = new Progress(output, 'reading', input.size)
  const collector = new Collector(connection)
  let bytes = 0
  let pets = 0
  const lines = readLines(count(input.bytes, (length) => (bytes += length)))
  const read = options.format === 'csv' ? readCsv : readNdjson
  try {
    for await (const found of read(lines, options)) {
      badLines.add(found.filter((line) => 'reason' in line))
      const good = found.flatMap((line) => ('pet' in line ? [line.pet] : []))
      await collector.add(good)
      pets += good.length
      progress.update(pets, bytes)
    }
    await collector.end()
  } finally {
    progress.stop()
  }
  await sql.endCollecting(connection)
  return collector.ranges
}

async function* count(source: AsyncIterable<Buffer>, add: (length: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    add(chunk.length)
    yield chunk
  }
}

/**
 * Drops pets whose ids are taken, and ensures that no creation draws one of the others. The lock is held only briefly: the pets are
 * created after it, while others create theirs.
 */
async function claimIds(connection: DedicatedConnection, badLines: BadLines): Promise<void> {
  reject(badLines, await dropRepeatedIds(connection))
  await connection.transaction(async () => {
    await lockCreations(connection)
    reject(badLines, await dropExistingIds(connection))
    await reserveIds(connection)
  })
}

function reject(badLines: BadLines, { count, examples }: TakenIds): void {
  const lines = examples.map(({ line, id, firstLine }) => ({
    line,
    reason:
      firstLine === null
        ? `A pet with id ${id} already exists.`
        : `The id ${id} is also on line ${firstLine}.`,
  }))
  badLines.add(lines, count)
}

async function create(
  connection: DedicatedConnection,
  dialect: Dialect,
  ranges: readonly LineRange[],
  total: number,
  options: ImportOptions,
  output: ProgressOutput,
): Promise<void> {
  try {
    await connection.transaction(async () => {
      if (total > dialect.maxImportEvents) await sql.silenceEvents(connection)
      const indexes = total > INDEX_LATER ? await dialect.dropIndexes(connection) : []
      await withProgress(output, 'storing', total, ranges, async (range) => {
        await sql.createCollected(connection, range, options)
        return range.pets
      })
      await withProgress(output, 'indexing', total, indexes, async (index) => {
        await connection.query(index)
        return total / indexes.length
      })
    })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'IDS_EXHAUSTED')
      throw new TransferError(`${error.message} Nothing was imported.`)
    if (!(error instanceof DatabaseError) || !isRejectedValue(error)) throw error
    throw new TransferError(describeRejection(error.code, options))
  }
}

function describeRejection(sqlState: string, { keepIds }: ImportOptions): string {
  if (sqlState === '23505' && keepIds)
    return 'A pet with one of the ids was created meanwhile. Nothing was imported; try again.'
  return `The database rejected a pet (SQLSTATE ${sqlState}). Nothing was imported.`
}

/** @param run does one step. @returns how many pets it has processed */
async function withProgress<Step>(
  output: ProgressOutput,
  label: string,
  total: number,
  steps: readonly Step[],
  run: (step: Step) => Promise<number>,
): Promise<void> {
  const progress = new Progress(output, label, total)
  let pets = 0
  try {
    for (const step of steps) {
      pets = Math.min(pets + (await run(step)), total)
      progress.update(pets, pets)
    }
  } finally {
    progress.stop()
  }
}
