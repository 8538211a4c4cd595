import { OperatorError } from '../base/service-error.ts'

/** Prints a line to stdout. @throws OperatorError if that fails: the disk is full, or the reader, such as head, has gone away */
export async function print(line: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>()
  process.stdout.write(`${line}\n`, resolve)
  const error = await promise
  if (error) throw new OperatorError(`Cannot write to stdout: ${error.message}.`)
}
