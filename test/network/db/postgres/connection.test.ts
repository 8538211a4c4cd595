import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import { toHosts } from '../../../support/address.ts'
import { listenOnLoopback } from '../../../support/free-port.ts'

it('a connection that is destroyed closes its socket, even if the peer goes on sending', async () => {
  const server = createServer({ allowHalfOpen: true })
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const connection = new Connection(toHosts(`postgres://user@127.0.0.1:${port}/pets`), () => undefined)
  const connected = once(server, 'connection') as Promise<[Socket]>
  const running = connection.run({
    name: 'ping',
    text: 'select',
    parameters: [],
    prepare: false,
  })
  const [peer] = await connected
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  peer.on('close', () => resolve(undefined)).on('error', () => undefined)
  await once(peer, 'data')
  // AuthenticationOk and ReadyForQuery; after the statement, the peer answers nothing.
  peer.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1'))
  await once(peer, 'data')
  connection.destroy()
  await expect(running).rejects.toThrow()
  // What a peer writes to a socket that is closed, not only ended, is answered by a reset.
  const writing = setInterval(() => peer.write('N\0\0\0\x05\0', 'latin1'), 100)
  onTestFinished(() => clearInterval(writing))
  await closed
})
