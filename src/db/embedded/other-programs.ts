/**
 * Lets no other program connect to the embedded Postgres: all connections share one session, and a program such as pg_dump changes its
 * settings, so that the statements of the server would fail until it is restarted.
 */
import type { PGlite } from '@electric-sql/pglite'
import { APPLICATION_NAME } from '../postgres/application-name.ts'

/** The version of the protocol, with which the first message of a connection begins after its length (PostgreSQL manual, 54.7). */
const PROTOCOL_VERSION = 0x0003_0000
const REFUSAL = 'This database is embedded: only its server may connect.'

/** Refuses the connections of other programs, by their application_name. They close them then. */
export function refuseOtherPrograms(database: PGlite): void {
  const execute = database.execProtocolRawStream.bind(database)
  database.execProtocolRawStream = async (message, options) => {
    if (!isOfOtherProgram(message)) return execute(message, options)
    options.onRawData(createError('28000', REFUSAL))
  }
}

function isOfOtherProgram(message: Uint8Array): boolean {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length)
  if (bytes.length < 8 || bytes.readInt32BE(4) !== PROTOCOL_VERSION) return false
  const texts = bytes.toString('utf8', 8).split('\0')
  return texts[texts.indexOf('application_name') + 1] !== APPLICATION_NAME
}

/** A message of Postgres (ErrorResponse), after which a client gives up. */
function createError(code: string, message: string): Uint8Array {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
