import { transferResource } from '../server/resources.ts'
import { exportItems } from '../transfer/export-items.ts'
import { chooseFormat, type Format } from '../transfer/files.ts'
import { describeResult } from '../transfer/progress.ts'
import { withDatabase } from './with-database.ts'

/** Writes all pets to a file or stdout, and everything else to stderr. */
export async function exportFile(file: string, { format: requested }: { format?: Format }): Promise<void> {
  const format = chooseFormat(file, requested)
  await withDatabase(
    async (database) => {
      const started = performance.now()
      const items = await exportItems(database, transferResource, file, format)
      console.error(`Exported ${describeResult(items, transferResource.words, started)}.`)
    },
    { onlyDedicated: true },
  )
}
