/** What import and export have in common. */
import type { Database } from '../db/database.ts'
import { type Format, formatOf } from '../transfer/files.ts'
import { formatCount, formatRate, formatSeconds } from '../transfer/progress.ts'
import { TransferError } from '../transfer/transfer-error.ts'
import { CommandError, failUsage } from './fail.ts'
import { withDatabase } from './with-database.ts'

/** Ends the process if the extension of the file does not tell its format. */
export function chooseFormat(file: string, format: Format | undefined): Format {
  return (
    format ??
    formatOf(file) ??
    failUsage(`the extension of ${file} does not tell its format: add --format ndjson or --format csv.`)
  )
}

export async function runTransfer(run: (database: Database) => Promise<void>): Promise<void> {
  await withDatabase(
    async (database) => {
      try {
        await run(database)
      } catch (error) {
        throw error instanceof TransferError ? new CommandError(error.message) : error
      }
    },
    { isDirect: true },
  )
}

/** @param started by performance.now() */
export function describeRate(pets: number, started: number): string {
  const seconds = (performance.now() - started) / 1000
  return `${formatCount(pets, 'pet')} in ${formatSeconds(seconds)} (${formatRate(pets, seconds, 'pets')})`
}
