/** An export, from the stored items to the text of a file. */
import type { DedicatedConnection } from '../db/postgres/connection.ts'
import type { Item, Resource } from '../resource/resource.ts'
import { beginSnapshot, readAll } from '../resource/transfer-statements.ts'
import { createCsvWriter, toCsvHeader } from './csv.ts'
import type { Format, Output } from './files.ts'
import { createNdjsonWriter } from './ndjson.ts'
import { showProgress } from './progress.ts'

/**
 * Writes all items, by id.
 * @returns their number
 * @throws OperatorError if they cannot be written
 */
export async function exportItems<One extends Item>(
  connection: DedicatedConnection,
  resource: Resource<One>,
  output: Output,
  format: Format,
  { showsProgress = true } = {},
): Promise<number> {
  let items = 0
  async function* toText(): AsyncGenerator<string> {
    const write = format === 'csv' ? createCsvWriter(resource) : createNdjsonWriter(resource)
    if (format === 'csv') yield toCsvHeader(resource)
    const total = await beginSnapshot(connection, resource)
    using progress = showsProgress ? showProgress('exporting', resource.words.many, total) : null
    for await (const part of readAll(connection, resource)) {
      yield part.map(write).join('')
      items += part.length
      progress?.update(items, items)
    }
  }
  await output.write(toText())
  return items
}
