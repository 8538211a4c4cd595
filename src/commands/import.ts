import { petResource } from '../pets/pets.ts'
import { importItems } from '../transfer/import.ts'
import { type Format, openInput } from '../transfer/files.ts'
import { formatCount } from '../transfer/progress.ts'
import { chooseFormat, describeRate, runTransfer } from './transfer.ts'

export interface ImportFlags {
  format?: Format
  keepIds?: true
  skipBad?: true
}

/** Loads pets from a file or stdin. Everything is printed to stderr. */
export async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const format = chooseFormat(file, flags.format)
  await runTransfer(async (database) => {
    const input = await openInput(file)
    const started = performance.now()
    const options = {
      resource: petResource,
      format,
      keepIds: flags.keepIds === true,
      skipsBad: flags.skipBad === true,
    }
    const { items, badLines } = await importItems(database, input, options, process.stderr)
    if (badLines.count > 0) console.error(badLines.describe())
    const skipped = badLines.count > 0 ? ` Skipped ${formatCount(badLines.count, 'bad line')}.` : ''
    console.error(`Imported ${describeRate(items, started)}.${skipped}`)
  })
}
