/** Import and export of pets. Everything but the pets is printed to stderr. */
import { UsageError } from '../base/errors.ts'
import { petResource } from '../pets/pets.ts'
import { exportItems } from '../transfer/export.ts'
import { type Format, formatOf, openInput, openOutput, STANDARD_STREAM } from '../transfer/files.ts'
import { importItems } from '../transfer/import.ts'
import { formatCount, formatRate, formatSeconds } from '../transfer/progress.ts'
import { withDatabase } from './with-database.ts'

export interface ImportFlags {
  format?: Format
  keepIds?: true
  skipBad?: true
}

export interface ExportFlags {
  format?: Format
  force?: true
}

/** Loads pets from a file or stdin. */
export async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const format = chooseFormat(file, flags.format)
  await withDatabase(
    async (database) => {
      const input = await openInput(file)
      const started = performance.now()
      const { keepIds = false, skipBad: skipsBad = false } = flags
      const options = { resource: petResource, format, keepIds, skipsBad }
      const { items, badLines } = await importItems(database, input, options, process.stderr)
      if (badLines.count > 0) console.error(badLines.describe())
      const skipped = badLines.count > 0 ? ` Skipped ${formatCount(badLines.count, 'bad line')}.` : ''
      console.error(`Imported ${describeRate(items, started)}.${skipped}`)
    },
    { onlySessions: true },
  )
}

/** Writes all pets to a file or stdout. */
export async function exportFile(file: string, flags: ExportFlags): Promise<void> {
  const format = chooseFormat(file, flags.format)
  await withDatabase(
    async (database) => {
      const started = performance.now()
      // Progress would be mixed with the pets.
      const isShown = file !== STANDARD_STREAM || !process.stdout.isTTY
      const output = await openOutput(file, { replaces: flags.force === true })
      try {
        const pets = await exportItems(database, petResource, output, format, isShown ? process.stderr : null)
        console.error(`Exported ${describeRate(pets, started)}.`)
      } catch (error) {
        console.error(`The export failed: ${output.name} is incomplete.`)
        throw error
      }
    },
    { onlySessions: true },
  )
}

/** @throws UsageError if the extension of the file does not tell its format */
function chooseFormat(file: string, format: Format | undefined): Format {
  const chosen = format ?? formatOf(file)
  if (chosen) return chosen
  throw new UsageError(
    `The extension of ${file} does not tell its format: add --format ndjson or --format csv.`,
  )
}

/** @param started by performance.now() */
function describeRate(pets: number, started: number): string {
  const seconds = (performance.now() - started) / 1000
  return `${formatCount(pets, 'pet')} in ${formatSeconds(seconds)} (${formatRate(pets, seconds, 'pets')})`
}
