/** The fault of PGlite's server. If its test fails, it may have been mended: then src/workarounds/pglite.ts can be removed. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { expect, it, onTestFinished } from 'vitest'
import { watchFailures } from '../../../src/workarounds/pglite.ts'
import { findFreePort } from '../../support/free-port.ts'

it('after a database has thrown, the server passes no message on, also of new connections (#1046)', async () => {
  const received: number[] = []
  const database = {
    waitReady: Promise.resolve(),
    isInTransaction: () => false,
    runExclusive: (run: () => Promise<void>) => run(),
    execProtocolRawStream: (message: Uint8Array) => {
      received.push(message.length)
      return Promise.reject(new Error('broken'))
    },
  }
  const port = await findFreePort()
  const server = new PGLiteSocketServer({ db: database as unknown as PGlite, port, maxConnections: 5 })
  await server.start()
  onTestFinished(() => server.stop())
  /** Sends the first message of a connection (PostgreSQL manual, 54.7): its length, and the version of the protocol. */
  const send = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(Buffer.from([0, 0, 0, 8, 0, 3, 0, 0]))
    return socket
  }
  await once(await send(), 'close')
  await send()
  await setTimeout(300)
  expect(received).toEqual([8])
})

it('what a database throws is reported, and the statement fails', async () => {
  const failure = new Error('broken')
  let broken = false
  const { promise: reported, resolve: report } = Promise.withResolvers<unknown>()
  const execute = watchFailures(() => (broken ? Promise.reject(failure) : Promise.resolve()), report)
  await execute()
  broken = true
  await expect(execute()).rejects.toBe(failure)
  expect(await reported).toBe(failure)
})
