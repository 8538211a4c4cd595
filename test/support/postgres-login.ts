import { createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from './free-port.ts'

/** AuthenticationOk and ReadyForQuery */
export const LOGIN = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
/** EmptyQueryResponse and ReadyForQuery */
export const EMPTY_ANSWER = Buffer.from('I\0\0\0\x04Z\0\0\0\x05I', 'latin1')

/**
 * A Postgres, until the test ends, that accepts each login without a password.
 * @param onLogin says what follows on the socket: it is called when the login has been answered
 */
export async function acceptLogins(
  onLogin: (socket: Socket) => unknown,
): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write(LOGIN)
        onLogin(socket)
      })
  })
  onTestFinished(() => void server.close())
  return { server, port: await listenOnLoopback(server) }
}
