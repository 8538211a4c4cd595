import { toDatabaseError } from '../../../src/db/postgres/postgres-errors.ts'

/** What an error of the driver with this code becomes. */
export function databaseErrorOf(code: string): Error {
  return toDatabaseError(Object.assign(new Error('failed'), { code }))
}
