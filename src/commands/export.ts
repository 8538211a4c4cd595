import { transferResource } from '../server/resources.ts'
import { exportItems } from '../transfer/export-items.ts'
import { chooseFormat, type Format, throwIfExists } from '../transfer/files.ts'
import { describeResult } from '../transfer/progress.ts'
import { withDedicatedConnections } from './database/with-database.ts'

interface ExportOptions {
  format: Format | undefined
  /** Whether a file that exists is replaced. */
  force: boolean | undefined
}

/** Writes all pets to a file or stdout, and everything else to stderr. */
export async function exportFile(
  file: string,
  { format: requested, force = false }: ExportOptions,
): Promise<void> {
  const format = chooseFormat(file, requested)
  if (!force) await throwIfExists(file)
  await withDedicatedConnections(async (database) => {
    const started = performance.now()
    const items = await exportItems(database, transferResource, { file, format, force })
    console.error(`Exported ${describeResult(items, transferResource.words, started)}.`)
  })
}
