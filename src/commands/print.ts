import { CommandError } from './fail.ts'

/**
 * Prints a line to stdout.
 * @throws CommandError if it cannot be written, because the disk is full or the reader, such as head, has gone away
 */
export async function print(line: string): Promise<void> {
  const { stdout } = process
  // The callback gets the error, too; without a listener it would end the process.
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => undefined)
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>()
  stdout.write(`${line}\n`, resolve)
  const error = await promise
  if (error) throw new CommandError(`Cannot write stdout: ${error.message}.`)
}
