/** What was thrown, which may be anything: as an error, or what it says. */

/** What was thrown, which may be anything, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** What Postgres or the operating system said, if that is known. */
export function causeOf(error: unknown): string {
  return messageOf(error instanceof Error ? (error.cause ?? error) : error)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
