import { Socket } from 'node:net'

/** How long a request to cancel may take, in milliseconds. */
const TIMEOUT = 2_000
/** The code of CancelRequest (PostgreSQL manual, 54.7). */
const CANCEL_REQUEST = 80_877_102

/** What Postgres, or a pooler in its place, gave a connection for cancelling its statements. */
interface CancelKey {
  pid: number
  secret: number
}

/**
 * Requests that a connection's statement in flight be cancelled; its error shows whether that happened. Unencrypted, as by libpq's
 * PQcancel. The driver's own cancel (postgres.js 3.4.9) ends the process if the request cannot be sent.
 * @param url of the connection
 * @param query of the driver; nothing happens unless it has been sent
 */
export function requestCancel(url: string, query: object): void {
  const key: unknown = Reflect.get(query, 'state')
  if (!isCancelKey(key)) return
  const { hostname, port } = new URL(url)
  const message = Buffer.alloc(16)
  ;[16, CANCEL_REQUEST, key.pid, key.secret].forEach((value, index) =>
    message.writeInt32BE(value | 0, index * 4),
  )
  const socket = new Socket()
  socket.on('error', () => socket.destroy())
  socket.setTimeout(TIMEOUT, () => socket.destroy())
  socket.connect(Number(port || 5432), hostname.replace(/^\[|\]$/g, ''), () => socket.write(message))
  // The other side answers by closing the connection. PgBouncer drops the request if we close it first.
  socket.resume()
}

function isCancelKey(value: unknown): value is CancelKey {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    'secret' in value &&
    typeof value.pid === 'number' &&
    typeof value.secret === 'number'
  )
}
