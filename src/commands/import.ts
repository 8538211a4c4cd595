import { resources } from '../server/resources.ts'
import { chooseFormat, type Format, openInput } from '../transfer/files.ts'
import { importItems } from '../transfer/import-items.ts'
import { describeRate, formatCount } from '../transfer/progress.ts'
import { withDatabase } from './with-database.ts'

export interface ImportFlags {
  format?: Format
  keepIds?: true
  skipBad?: true
}

/** Loads pets from a file or stdin. */
export async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const format = chooseFormat(file, flags.format)
  await withDatabase(
    async (database) => {
      const input = await openInput(file)
      const started = performance.now()
      const { keepIds = false, skipBad: skipsBad = false } = flags
      const options = { resource: resources[0], format, keepIds, skipsBad }
      const { items, badLines } = await importItems(database, input, options)
      if (badLines.count > 0) console.error(badLines.describe())
      const skipped = badLines.count > 0 ? ` Skipped ${formatCount(badLines.count, 'bad line')}.` : ''
      console.error(`Imported ${describeRate(items, resources[0].words.one, started)}.${skipped}`)
    },
    { onlyDedicated: true },
  )
}
