import type { DatabaseVariable } from '../base/database-variable.ts'
import { OperatorError } from '../base/operator-error.ts'

/** A database that cannot be opened, even by waiting. Its cause has the message of Postgres or of the system, and no data of a request. */
export class OpeningError extends Error {
  /** The one that says where the database is. */
  readonly variable: DatabaseVariable

  constructor(variable: DatabaseVariable, cause: unknown) {
    super(`The database in ${variable} cannot be opened`, { cause })
    this.name = 'OpeningError'
    this.variable = variable
  }
}

/** @returns an error that says by itself what to do as it is; any other as an OpeningError */
export function toOpeningError(variable: DatabaseVariable, error: unknown): OperatorError | OpeningError {
  return error instanceof OperatorError ? error : new OpeningError(variable, error)
}
