import { resources } from '../server/resources.ts'
import { chooseFormat, type Format, openInput } from '../transfer/files.ts'
import { importItems } from '../transfer/import-items.ts'
import { describeResult } from '../transfer/progress.ts'
import { withDatabase } from './with-database.ts'

export interface ImportFlags {
  format?: Format
  keepIds?: boolean
}

/** Loads pets from a file or stdin. */
export async function importFile(
  file: string,
  { format: requested, keepIds = false }: ImportFlags,
): Promise<void> {
  const format = chooseFormat(file, requested)
  await withDatabase(
    async (database) => {
      const started = performance.now()
      const options = { resource: resources[0], format, keepIds }
      const items = await importItems(database, await openInput(file), options)
      console.error(`Imported ${describeResult(items, resources[0].words, started)}.`)
    },
    { onlyDedicated: true },
  )
}
