/** What Node does by itself. When this fails, it has been mended: `workarounds/node.ts` may go. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

it('Node begins all requests of a connection before one is answered', async () => {
  let begun = 0
  const server = createServer(() => (begun += 1))
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))
  await eventually(() => expect(begun).toBe(1_000))
})
