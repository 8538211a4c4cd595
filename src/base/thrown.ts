/** Converts thrown values, which may be anything, to errors and messages. */

/** Converts a thrown value to an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** The message of Postgres or the operating system, if there is one. */
export function causeOf(error: unknown): string {
  return messageOf(error instanceof Error ? (error.cause ?? error) : error)
}

/** Whether an error is one of the system with this code, such as ENOENT. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
