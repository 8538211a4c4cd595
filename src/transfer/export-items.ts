/** An export, from the stored items to the text of a file. */
import type { DedicatedConnection } from '../db/postgres/connection.ts'
import type { Item, Resource } from '../resource/resource.ts'
import { beginSnapshot, readAll } from '../resource/transfer-statements.ts'
import { createCsvWriter, toCsvHeader } from './csv.ts'
import { type Format, STANDARD_STREAM, writeOutput } from './files.ts'
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
  file: string,
  format: Format,
): Promise<number> {
  let items = 0
  async function* toText(): AsyncGenerator<string> {
    const write = format === 'csv' ? createCsvWriter(resource) : createNdjsonWriter(resource)
    if (format === 'csv') yield toCsvHeader(resource)
    const total = await beginSnapshot(connection, resource)
    // On a terminal, the bar would be mixed with the items.
    const isMixed = file === STANDARD_STREAM && process.stdout.isTTY
    using progress = isMixed ? null : showProgress('exporting', resource.words.many, total)
    for await (const part of readAll(connection, resource)) {
      yield part.map(write).join('')
      items += part.length
      progress?.update(items, items)
    }
  }
  await writeOutput(file, toText())
  return items
}
