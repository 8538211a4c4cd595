/** Ends the process after an error. @param status 1: the command failed; 2: it was used wrongly */
export function fail(message: string, status: 1 | 2 = 1): never {
  console.error(message)
  process.exit(status)
}
