/** Errors whose messages are for the operator. */
import { messageOf } from './thrown.ts'

/** A failure that the operator can repair: the message says what is wrong, and what to do. */
export class OperatorError extends Error {}

/** A command was used wrongly. */
export class UsageError extends OperatorError {}

/**
 * A port on which the server cannot listen.
 * @param purpose what the server uses the port for
 * @param prefix of the variables HOST and PORT
 */
export function createListenError(
  purpose: string,
  prefix: '' | 'METRICS_',
  { host, port }: { host: string; port: number },
  cause: unknown,
): OperatorError {
  return new OperatorError(
    `Cannot ${purpose} on ${prefix}HOST ${host}, ${prefix}PORT ${port}: ${messageOf(cause)}.\n` +
      `Set ${prefix}HOST to an address of this machine, and ${prefix}PORT to a free port (0 picks one).`,
    { cause },
  )
}
