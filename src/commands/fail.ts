/** Exits after an error. @param status 1: the command failed; 2: wrong usage */
export function fail(message: string, status: 1 | 2 = 1): never {
  console.error(message)
  process.exit(status)
}
