/** An export, from the stored items to the text of a file. */
import type { Database } from '../db/database.ts'
import type { SessionConnection } from '../db/postgres/session-connection.ts'
import type { Item, Resource } from '../resource/resource.ts'
import { beginSnapshot, readAll } from '../resource/transfer.ts'
import { createCsvWriter, toCsvHeader } from './csv.ts'
import { type Output, writeOutput } from './files.ts'
import type { Format } from './format.ts'
import { createNdjsonWriter } from './ndjson.ts'
import { Progress, type ProgressOutput } from './progress.ts'

/**
 * Writes all items, by id.
 * @param progress where it is shown; null: nowhere
 * @returns their number
 * @throws OperatorError if they cannot be written
 */
export async function exportItems<One extends Item>(
  database: Database,
  resource: Resource<One>,
  output: Output,
  format: Format,
  progress: ProgressOutput | null,
): Promise<number> {
  const connection = await database.connect()
  try {
    let items = 0
    await writeOutput(
      output,
      toText(connection, resource, format, progress, (count) => (items += count)),
    )
    return items
  } finally {
    await connection.close()
  }
}

async function* toText<One extends Item>(
  connection: SessionConnection,
  resource: Resource<One>,
  format: Format,
  output: ProgressOutput | null,
  add: (items: number) => number,
): AsyncGenerator<string> {
  const write = format === 'csv' ? createCsvWriter(resource) : createNdjsonWriter(resource)
  if (format === 'csv') yield toCsvHeader(resource)
  const total = await beginSnapshot(connection, resource)
  const progress = output && new Progress(output, { label: 'exporting', many: resource.words.many }, total)
  try {
    for await (const part of readAll(connection, resource)) {
      yield part.map(write).join('')
      const items = add(part.length)
      progress?.update(items, items)
    }
  } finally {
    progress?.stop()
  }
}
