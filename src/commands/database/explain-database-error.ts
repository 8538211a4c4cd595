/** Tells the operator why a database cannot be used, and what to do. */
import type { DatabaseVariable } from '../../base/database-variable.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { ServiceError } from '../../base/service-error.ts'
import { messageOf } from '../../base/thrown.ts'
import { type DatabaseConfig, nameDatabase } from '../../config/database-config.ts'
import { OpeningError } from '../../db/opening-error.ts'
import { adviceFor, unwrapQueryError } from '../../db/postgres/postgres-errors.ts'

/**
 * Explains why a command has failed.
 * @param variable the one that says where its statements go; an OpeningError names its own
 * @returns an OperatorError if the database cannot be used; any other error, without what Drizzle wraps around it: it is for the operator
 * already, or a bug
 */
export function explainDatabaseError(
  thrown: unknown,
  database: DatabaseConfig,
  variable: DatabaseVariable,
): unknown {
  if (thrown instanceof OpeningError) {
    const { cause, variable: ownVariable } = thrown
    return toOperatorError(cause, nameDatabase(database, ownVariable), adviceOnOpening(cause, ownVariable))
  }
  const error = unwrapQueryError(thrown)
  // A command answers no request, so only the database gives it a ServiceError.
  if (!(error instanceof ServiceError)) return error
  return toOperatorError(error, nameDatabase(database, variable), adviceOnUse(error, variable))
}

/** @param error why an embedded database, in use by a server, has stopped by itself */
export function explainStop(error: Error, database: DatabaseConfig): OperatorError {
  return new OperatorError(
    `The ${nameDatabase(database, 'DATA_DIR')} has stopped: ${error.message}.\n` +
      'Start the server again: all that was committed is kept. If it stops again, is there enough memory, and space on the disk?',
  )
}

/** @param advice undefined: the message of the error says what to do */
function toOperatorError(error: unknown, name: string, advice: string | undefined): OperatorError {
  if (advice === undefined) return new OperatorError(messageOf(error))
  return new OperatorError(`The ${name} cannot be used: ${describe(error)}\n${advice}`)
}

function adviceOnOpening(error: unknown, variable: DatabaseVariable): string | undefined {
  return variable === 'DATA_DIR'
    ? 'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.'
    : adviceFor(error)
}

function adviceOnUse(error: ServiceError, variable: DatabaseVariable): string | undefined {
  // Any other advice is about connections, or names a log.
  return variable === 'DATA_DIR' && error.code !== 'IDS_EXHAUSTED'
    ? 'Is there space on the disk? Make some, and try again.'
    : adviceFor(error)
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
