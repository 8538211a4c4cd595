/** An export, from the stored pets to the text of a file. */
import type { Database } from '../db/database.ts'
import { beginSnapshot, readAllPets } from '../pets/export-pets.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { CSV_HEADER, toCsv } from './csv.ts'
import { writeOutput } from './files.ts'
import type { Format } from './format.ts'
import { toNdjson } from './ndjson.ts'
import { Progress, type ProgressOutput } from './progress.ts'

/**
 * Writes all pets, by id.
 * @param output null: progress is not shown
 * @returns the number of pets that were read
 * @throws TransferError if the file cannot be written
 */
export async function exportPets(
  database: Database,
  file: string,
  format: Format,
  output: ProgressOutput | null,
): Promise<number> {
  const connection = await database.connect()
  try {
    let pets = 0
    await writeOutput(
      file,
      toText(connection, format, output, (count) => (pets += count)),
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
