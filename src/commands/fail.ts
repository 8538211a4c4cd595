/** A command failed; the message says why and what to do. */
export class CommandError extends Error {}

/** Ends the process after an error. */
export function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

/** Ends the process because of wrong usage. */
export function failUsage(message: string): never {
  console.error(`error: ${message}`)
  process.exit(2)
}
