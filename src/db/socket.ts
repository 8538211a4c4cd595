import { connect, type Socket } from 'node:net'

/** The part of postgres.js's options that its `socket` factory is handed. */
export interface SocketTarget {
  path: string | false | null
  host: string[]
  port: number[]
}

/**
 * Makes the socket of one pooled connection, for postgres.js's `socket` option.
 *
 * A peer that hangs up before it has said anything, as a proxy does that has no Postgres behind it, is told as an error: the
 * driver (postgres.js 3.4.9) would connect again at once, and again (porsager/postgres#1193).
 *
 * An error of a socket that was connected shows as a plain close. For Node tells of the error first and of the close a little
 * later, and what the driver sends in between is never answered: it takes it for one of those that the error has ended.
 */
export function createSocket(target: SocketTarget): Socket {
  const [host = 'localhost'] = target.host
  const socket = target.path ? connect(target.path) : connect({ host, port: target.port[0] ?? 5432 })
  // What tls.connect takes the server's name from.
  Object.assign(socket, { host })

  let connected = false
  socket.once('connect', () => (connected = true))
  const emit = socket.emit.bind(socket)
  socket.emit = (event: string | symbol, ...args: unknown[]) => {
    if (connected && event === 'error') return true
    if (connected && event === 'close') {
      if (socket.bytesRead === 0) emit('error', Object.assign(new Error('hung up'), { code: 'ECONNRESET' }))
      return emit('close', false)
    }
    return emit(event, ...args)
  }
  return socket
}
