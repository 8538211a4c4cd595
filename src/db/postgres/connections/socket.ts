/** The sockets to Postgres: the driver's TLS knows fewer modes than libpq. */
import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from 'node:tls'
import type { PostgresAddress } from '../../../config/database-url.ts'
import { CODES } from '../error-codes.ts'
import { createFatalError, toFatalError } from '../postgres-errors.ts'

/** SSLRequest (PostgreSQL manual, 54.7): its length, and its code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
/** Of what the log says of an unexpected answer, in characters. */
const MAX_REASON_LENGTH = 200

/** Connects a new socket. @returns a stream that is ready for the startup message: the socket, or TLS on it */
export async function connectSocket(socket: Socket, address: PostgresAddress): Promise<Socket> {
  const { host, port, socketPath, sslmode } = address
  if (socketPath === undefined) socket.connect(port, host)
  else socket.connect(socketPath)
  await next(socket, 'connect')
  return sslmode === 'disable' ? socket : encrypt(socket, address)
}

async function encrypt(socket: Socket, { host, sslmode, authorities: ca }: PostgresAddress): Promise<Socket> {
  socket.write(SSL_REQUEST)
  const answer = (await next(socket, 'data'))?.toString('latin1') ?? ''
  if (answer === 'N' && (sslmode === 'allow' || sslmode === 'prefer')) return socket
  if (answer === 'N') throw createFatalError(CODES.ERR_TLS_UNSUPPORTED)
  // An error, such as that Postgres cannot fork, or what is no answer of Postgres.
  if (answer !== 'S') throw createFatalError(CODES.CONNECTION_CLOSED, readUnexpected(answer))
  const stream = connectTls({
    socket,
    host,
    ca,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: sslmode.startsWith('verify'),
    checkServerIdentity: sslmode === 'verify-ca' ? () => undefined : checkName,
  })
  await next(stream, 'secureConnect')
  return stream
}

/** @returns what the log says of an answer: of an ErrorResponse without its type and length. A Postgres that cannot fork sends no length. */
function readUnexpected(answer: string): string {
  const text = answer.replace(/^E(?:\0\0..)?/s, '').slice(0, MAX_REASON_LENGTH)
  return text.replaceAll(/[^ -~]+/g, ' ').trim()
}

/** @returns what is wrong with the names in a certificate; the log and the command say which one was expected */
function checkName(host: string, certificate: PeerCertificate): Error | undefined {
  const error = checkServerIdentity(host, certificate)
  return error && toFatalError({ code: CODES.ERR_TLS_CERT_ALTNAME_INVALID, message: error.message })
}

/** Waits for an event, and rejects if the socket fails or is closed before. */
function next(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(createFatalError(CODES.CONNECTION_CLOSED)))
  })
}
