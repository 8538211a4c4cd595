import { resources } from '../server/resources.ts'
import { exportItems } from '../transfer/export-items.ts'
import { chooseFormat, type Format, openOutput, STANDARD_STREAM } from '../transfer/files.ts'
import { describeRate } from '../transfer/progress.ts'
import { withDatabase } from './with-database.ts'

export interface ExportFlags {
  format?: Format
  force?: true
}

/** Writes all pets to a file or stdout, and everything else to stderr. */
export async function exportFile(file: string, flags: ExportFlags): Promise<void> {
  const format = chooseFormat(file, flags.format)
  await withDatabase(
    async (database) => {
      const started = performance.now()
      await using connection = await database.connect()
      const output = await openOutput(file, { replaces: flags.force === true })
      try {
        // On a terminal, progress would be mixed with the pets.
        const showsProgress = file !== STANDARD_STREAM || !process.stdout.isTTY
        const items = await exportItems(connection, resources[0], output, format, { showsProgress })
        console.error(`Exported ${describeRate(items, resources[0].words.one, started)}.`)
      } catch (error) {
        console.error(`The export failed: ${output.failure}.`)
        throw error
      }
    },
    { onlyDedicated: true },
  )
}
