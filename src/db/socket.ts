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
 * postgres.js has been seen not to free a pool slot whose socket failed in the middle of a query (porsager/postgres#1130), and it
 * waits for ever on a peer that vanished (#1089). So an error of a socket that was connected is kept from it, and shows as a
 * plain close; and silence of `idleTimeout` milliseconds, which has to be longer than any statement may take, closes the socket
 * (0: never).
 */
export function createSocket(target: SocketTarget, idleTimeout: number): Socket {
  const [host = 'localhost'] = target.host
  const socket = target.path ? connect(target.path) : connect({ host, port: target.port[0] ?? 5432 })
  // What tls.connect takes the server's name from.
  Object.assign(socket, { host })

  let connected = false
  socket.once('connect', () => (connected = true))
  socket.setTimeout(idleTimeout, () => socket.destroy())
  const emit = socket.emit.bind(socket)
  socket.emit = (event: string | symbol, ...args: unknown[]) => {
    if (connected && event === 'error') return true
    if (connected && event === 'close') return emit('close', false)
    return emit(event, ...args)
  }
  return socket
}
