import { Socket } from 'node:net'

/** The part of postgres.js's options that its `socket` factory is handed. */
export interface SocketTarget {
  path: string | false | null
  host: string[]
  port: number[]
}

/**
 * Makes a `socket` factory for postgres.js that makes one socket, and no other in its place.
 *
 * By itself the driver (3.4.9) connects again at once, and again, when a peer hangs up before the handshake is done, as a proxy
 * does that has no Postgres behind it (porsager/postgres#1193).
 */
export function createSocketFactory(): (target: SocketTarget) => Socket {
  let made = false
  return ({ path, host: [host = 'localhost'], port: [port = 5432] }) => {
    if (made) throw Object.assign(new Error('the connection was closed'), { code: 'CONNECTION_CLOSED' })
    made = true
    const socket = new Socket()
    // Not before the driver listens to errors: some are told at once.
    queueMicrotask(() => (path ? socket.connect(path) : socket.connect(port, host)))
    // What tls.connect takes the server's name from.
    return Object.assign(socket, { host })
  }
}
