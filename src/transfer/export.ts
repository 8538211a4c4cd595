/** An export, from the stored pets to the text of a file. */
import type { Database } from '../db/database.ts'
import { beginSnapshot, readAllPets } from '../pets/export-pets.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { CSV_HEADER, toCsv } from './csv.ts'
import { type Output, writeOutput } from './files.ts'
import type { Format } from './format.ts'
import { toNdjson } from './ndjson.ts'
import { Progress, type ProgressOutput } from './progress.ts'

/**
 * Writes all pets, by id.
 * @param progress where it is shown; null: nowhere
 * @returns their number
 * @throws TransferError if they cannot be written
 */
export async function exportPets(
  database: Database,
  output: Output,
  format: Format,
  progress: ProgressOutput | null,
): Promise<number> {
  const connection = await database.connect()
  try {
    let pets = 0
    await writeOutput(
      output,
      toText(connection, format, progress, (count) => (pets += count)),
    )
    return pets
  } finally {
    await connection.close()
  }
}

async function* toText(
  connection: DedicatedConnection,
  format: Format,
  output: ProgressOutput | null,
  add: (pets: number) => number,
): AsyncGenerator<string> {
  if (format === 'csv') yield CSV_HEADER
  const total = await beginSnapshot(connection)
  const progress = output && new Progress(output, 'exporting', total)
  try {
    for await (const part of readAllPets(connection)) {
      yield part.map(format === 'csv' ? toCsv : toNdjson).join('')
      const pets = add(part.length)
      progress?.update(pets, pets)
    }
  } finally {
    progress?.stop()
  }
}
