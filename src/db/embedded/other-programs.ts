/**
 * Lets no other program connect to the embedded Postgres: all connections share one session, and a program such as pg_dump changes its
 * settings, so that the statements of the server would fail until it is restarted.
 */
import type { PGlite } from '@electric-sql/pglite'
import { APPLICATION_NAME } from '../postgres/application-name.ts'

/** That of the driver. The first message of a connection has its length, the version, and parameters (PostgreSQL manual, 54.7). */
const PROTOCOL_VERSION = 0x0003_0000
const REFUSAL = 'This database is embedded: only its server may connect.'

/** How PGlite gets each message of a client. */
type Execute = PGlite['execProtocolRawStream']

/** Answers the first message of another program by an error, at which the program gives up; all other messages are executed. */
export function refuseOtherPrograms(execute: Execute): Execute {
  return async (message, options) => {
    if (!isOfOtherProgram(message)) return execute(message, options)
    options.onRawData(createError('28000', REFUSAL))
  }
}

/** Whether it begins a connection, and not as the driver of this server does. */
function isOfOtherProgram(message: Uint8Array): boolean {
  // A first message begins with its length, which is below 2^24; any other with a letter, its type.
  if (message[0] !== 0) return false
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length)
  if (bytes.length < 8 || bytes.readInt32BE(4) !== PROTOCOL_VERSION) return true
  return readParameters(bytes.subarray(8)).get('application_name') !== APPLICATION_NAME
}

/** @param bytes names and values in turn, each ended by a zero byte */
function readParameters(bytes: Buffer): Map<string, string> {
  const texts = bytes.toString().split('\0')
  const parameters = new Map<string, string>()
  for (let index = 0; index + 1 < texts.length; index += 2)
    parameters.set(texts[index] ?? '', texts[index + 1] ?? '')
  return parameters
}

/** A message of Postgres (ErrorResponse), after which a client gives up. */
function createError(code: string, message: string): Uint8Array {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
