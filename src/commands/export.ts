import { petResource } from '../pets/pets.ts'
import { exportItems } from '../transfer/export.ts'
import { type Format, STANDARD_STREAM } from '../transfer/format.ts'
import { chooseFormat, describeRate, runTransfer } from './transfer.ts'

/** Writes all pets to a file or stdout; the rest goes to stderr. */
export async function exportFile(file: string, flags: { format?: Format }): Promise<void> {
  const format = chooseFormat(file, flags.format)
  await runTransfer(async (database) => {
    const started = performance.now()
    // Progress would be mixed with the pets.
    const isShown = file !== STANDARD_STREAM || !process.stdout.isTTY
    const pets = await exportItems(database, petResource, file, format, isShown ? process.stderr : null)
    console.error(`Exported ${describeRate(pets, started)}.`)
  })
}
