/** What import and export have in common. */
import type { Database } from '../db/database.ts'
import { type Format, formatOf } from '../transfer/format.ts'
import { formatCount, formatRate, formatSeconds } from '../transfer/progress.ts'
import { TransferError } from '../transfer/transfer-error.ts'
import { CommandError, failUsage } from './fail.ts'
import { withDatabase } from './with-database.ts'

/** Ends the process if the ending of the file does not tell the format. */
export function chooseFormat(file: string, format: Format | undefined): Format {
  return (
    format ??
    formatOf(file) ??
    failUsage(`the format of ${file} is not known by its ending: add --format ndjson or --format csv.`)
  )
}

export async function runTransfer(run: (database: Database) => Promise<void>): Promise<void> {
  await withDatabase(async (database) => {
    try {
      await run(database)
    } catch (error) {
      throw error instanceof TransferError ? new CommandError(error.message) : error
    }
  })
}

/** @param started by performance.now() */
export function describeRate(pets: number, started: number): string {
  const seconds = (performance.now() - started) / 1000
  return `${formatCount(pets, 'pet')} in ${formatSeconds(seconds)} (${formatRate(pets, seconds)})`
}
