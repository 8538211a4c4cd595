import { petResource } from '../pets/pets.ts'
import { exportItems } from '../transfer/export.ts'
import { type Format, openOutput, STANDARD_STREAM } from '../transfer/files.ts'
import { chooseFormat, describeRate, runTransfer } from './transfer.ts'

export interface ExportFlags {
  format?: Format
  force?: true
}

/** Writes all pets to a file or stdout; the rest goes to stderr. */
export async function exportFile(file: string, flags: ExportFlags): Promise<void> {
  const format = chooseFormat(file, flags.format)
  await runTransfer(async (database) => {
    const started = performance.now()
    // Progress would be mixed with the pets.
    const isShown = file !== STANDARD_STREAM || !process.stdout.isTTY
    const output = await openOutput(file, { replaces: flags.force === true })
    try {
      const pets = await exportItems(database, petResource, output, format, isShown ? process.stderr : null)
      console.error(`Exported ${describeRate(pets, started)}.`)
    } catch (error) {
      console.error(`The export has failed: ${output.name} is incomplete.`)
      throw error
    }
  })
}
