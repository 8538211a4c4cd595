import { transferResource } from '../server/resources.ts'
import { chooseFormat, type Format, openInput } from '../transfer/files.ts'
import { importItems } from '../transfer/import-items.ts'
import { describeResult } from '../transfer/progress.ts'
import { withDedicatedConnections } from './database/with-database.ts'

interface ImportOptions {
  format: Format | undefined
  keepIds: true | undefined
}

/** Loads pets from a file or stdin. */
export async function importFile(file: string, { format: requested, keepIds }: ImportOptions): Promise<void> {
  const format = chooseFormat(file, requested)
  // First, so that a file that cannot be read creates and migrates no database.
  const input = await openInput(file)
  await withDedicatedConnections(async (database) => {
    const started = performance.now()
    const options = { resource: transferResource, format, keepIds: keepIds === true }
    const items = await importItems(database, input, options)
    console.error(`Imported ${describeResult(items, transferResource.words, started)}.`)
  })
}
