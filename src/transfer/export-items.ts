/** An export, from the stored items to the text of a file. */
import type { Database } from '../db/database.ts'
import type { Item, Resource } from '../resource/fields/resource.ts'
import { readAll } from '../resource/transfer-statements.ts'
import { createCsvWriter, toCsvHeader } from './csv.ts'
import { type Format, STANDARD_STREAM, writeOutput } from './files.ts'
import { createNdjsonWriter } from './ndjson.ts'
import { showProgress } from './progress.ts'

/**
 * Writes all items, by id.
 * @returns their number
 * @throws OperatorError if they cannot be written
 */
export async function exportItems<TItem extends Item>(
  database: Database,
  resource: Resource<TItem>,
  file: string,
  format: Format,
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
  await writeOutput(file, toText())
  return items
}
