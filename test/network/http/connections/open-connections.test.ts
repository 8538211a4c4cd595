import { once } from 'node:events'
import { Agent } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import { MemoryBudget } from '../../../../src/base/memory-budget.ts'
import { OpenConnections } from '../../../../src/http/connections/open-connections.ts'
import { sendRequest } from '../../../support/client.ts'

async function start() {
  const app = Fastify()
  const connections = new OpenConnections(app.server, new MemoryBudget())
  const { promise: slow, resolve: finishSlow } = Promise.withResolvers<object>()
  const { promise: started, resolve: start } = Promise.withResolvers<undefined>()
  app.get('/slow', () => {
    start(undefined)
    return slow
  })
  app.get('/fast', () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const get = async (path: string, connection = agent) => {
    const { status, headers } = await sendRequest(`http://127.0.0.1:${port}`, path, {}, connection)
    return { status, connection: headers.connection }
  }
  return { connections, started, finishSlow: () => finishSlow({}), get, port }
}

it('a server without connections stops at once', async () => {
  const { connections } = await start()
  const onListeningEnded = vi.fn()
  expect(connections.isStopping).toBe(false)
  await connections.stop(0, onListeningEnded)
  expect(connections.isStopping).toBe(true)
  expect(onListeningEnded).toHaveBeenCalledOnce()
})

it('keeps serving during the delay, and then refuses connections', async () => {
  const { connections, get } = await start()
  const { promise: listeningEnded, resolve: onListeningEnded } = Promise.withResolvers<undefined>()
  const stopping = connections.stop(0.3, () => onListeningEnded(undefined))
  expect(connections.isStopping).toBe(true)
  expect(await get('/fast', new Agent())).toMatchObject({ status: 200 })
  await listeningEnded
  await expect(get('/fast', new Agent())).rejects.toThrow('ECONNREFUSED')
  await stopping
})

it('a request in flight is answered, and its connection closed', async () => {
  const { connections, started, finishSlow, get } = await start()
  const answer = get('/slow')
  await started
  const stopping = connections.stop(0, () => undefined)
  finishSlow()
  expect(await answer).toEqual({ status: 200, connection: 'close' })
  await stopping
})

it('a request on a connection that was kept alive is answered, and the connection closed', async () => {
  const { connections, get } = await start()
  expect(await get('/fast')).toEqual({ status: 200, connection: 'keep-alive' })
  const stopping = connections.stop(0, () => undefined)
  expect(await get('/fast')).toEqual({ status: 200, connection: 'close' })
  await stopping
})

it('a connection that has sent nothing is closed at once', async () => {
  const { connections, port, get } = await start()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  // Another connection keeps the server from having stopped before.
  await get('/fast')
  const stopping = connections.stop(0, () => undefined)
  const ended = vi.fn()
  void stopping.then(ended)
  await once(socket.resume(), 'close')
  expect(ended).not.toHaveBeenCalled()
  await stopping
})
