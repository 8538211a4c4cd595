/**
 * An import, from the bytes of a file to the stored items.
 *
 * Ids: by default, those of the file are ignored, and Postgres draws new ones, beyond all that are stored. If they are kept, each line has
 * one of a range that leaves new ids (item-line.ts); one that exists already is not inserted, and its line is bad; at the end, Postgres
 * goes on after the greatest (import-statements.ts).
 */
import { OperatorError } from '../base/operator-error.ts'
import { causeOf, toError } from '../base/thrown.ts'
import type { Database } from '../db/database.ts'
import { CODES } from '../db/postgres/error-codes.ts'
import { findDatabaseError } from '../db/postgres/postgres-errors.ts'
import type { Resource } from '../resource/fields/resource.ts'
import { readCsv } from './csv.ts'
import type { Format, Input } from './files.ts'
import { createImport } from './import-statements.ts'
import type { ItemLine, ReadOptions } from './item-line.ts'
import { BadLine, UnreadableLine } from './lines.ts'
import { readNdjson } from './ndjson.ts'
import { showProgress } from './progress.ts'

/** The number of items in one statement. */
const BATCH = 1_000
/** The number of bad lines that are named. */
const MAX_NAMED = 10

interface ImportOptions extends ReadOptions {
  format: Format
}

/**
 * Creates the items of a file in one transaction: all, or none.
 * @returns their number
 * @throws OperatorError that names the first bad lines, or says what the database has not done
 */
export async function importItems(
  database: Pick<Database, 'connect'>,
  input: Input,
  options: ImportOptions,
): Promise<number> {
  const { resource, keepIds } = options
  await using connection = await database.connect()
  const target = createImport(connection, options)
  const badLines: BadLine[] = []
  let areIdsChecked = true
  let items = 0
  try {
    await connection.transaction(async () => {
      await target.prepare()
      for await (const lines of readBatches(input, options)) {
        const found = lines.filter((line) => 'item' in line)
        badLines.push(...lines.filter((line) => line instanceof BadLine))
        if (badLines.length === 0) badLines.push(...(await insert(found)))
        // After a bad line, the others are only read, to name further bad ones: an id that is taken is not found.
        else if (keepIds) areIdsChecked = false
        items += found.length
        if (badLines.length >= MAX_NAMED) break
      }
      if (badLines.length > 0) throw new OperatorError(describeBadLines(badLines, areIdsChecked))
      await target.finish()
    })
  } catch (error) {
    throw toOperatorError(toError(error), connection.hasSentCommit, resource.words)
  }
  return items

  /** @returns the lines whose ids are taken */
  async function insert(lines: readonly ItemLine[]): Promise<BadLine[]> {
    const created = new Set(await target.insert(lines.map(({ item }) => item)))
    if (!keepIds) return []
    return lines
      .filter(({ item: { id } }) => id !== null && !created.delete(id))
      .map(
        ({ line, item: { id } }) =>
          new BadLine(line, `The id ${id} exists already, or is on an earlier line.`),
      )
  }
}

/** What the operator reads of an error of the database; others stay as they are. */
function toOperatorError(
  error: Error,
  hasSentCommit: boolean,
  { singular, plural }: Resource['words'],
): Error {
  if (hasSentCommit)
    return new OperatorError(
      `The database did not confirm the end of the import (${causeOf(error)}). All ${plural} may have been imported, or none: ` +
        'look for one of them before you try again.',
    )
  const { kind, databaseCode } = findDatabaseError(error) ?? {}
  if (databaseCode === CODES.LOCK_NOT_AVAILABLE)
    return new OperatorError(
      `Another transaction is writing ${plural}, and has not ended. Nothing was imported. Try again when it has ended.`,
    )
  if (kind === 'rejected value')
    return new OperatorError(
      `The database rejected a ${singular} (SQLSTATE ${databaseCode}). Nothing was imported.`,
    )
  return error
}

/** The lines of a file, some at a time, while it shows how far it has got. */
async function* readBatches(input: Input, options: ImportOptions): AsyncGenerator<(ItemLine | BadLine)[]> {
  using progress = showProgress('importing', options.resource.words.plural, input.size)
  let [bytes, items] = [0, 0]
  async function* countBytes(): AsyncGenerator<Buffer> {
    for await (const chunk of input.bytes) {
      bytes += chunk.length
      yield chunk
    }
  }
  const read = options.format === 'csv' ? readCsv : readNdjson
  for await (const batch of gather(read(countBytes(), options))) {
    yield batch
    items += batch.length
    progress.update(items, bytes)
  }
}

async function* gather(lines: AsyncIterable<ItemLine | BadLine>): AsyncGenerator<(ItemLine | BadLine)[]> {
  let batch: (ItemLine | BadLine)[] = []
  for await (const line of lines) {
    if (batch.push(line) < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** @param areIdsChecked whether those of all lines that were read have been compared with the ids that exist */
function describeBadLines(badLines: readonly BadLine[], areIdsChecked: boolean): string {
  const named = badLines.slice(0, MAX_NAMED).map(({ line, message }) => `line ${line}: ${message}`)
  const isAllRead = badLines.length < MAX_NAMED && !badLines.some((line) => line instanceof UnreadableLine)
  const more = isAllRead && areIdsChecked ? '' : ' There may be more bad lines.'
  return `${named.join('\n')}\nNothing was imported. Correct the file.${more}`
}
