import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createHttpClient } from '../../../src/verify/http-client.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

/** A server that answers the first request on each connection, and resets the connection at the second. */
async function startResettingServer() {
  const requests: string[] = []
  const used = new WeakSet<Socket>()
  const server = createServer(({ method, socket }, response) => {
    requests.push(String(method))
    if (used.has(socket)) return void socket.resetAndDestroy()
    used.add(socket)
    response.end('{}')
  })
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/v1`
  const client = createHttpClient(url, () => undefined)
  onTestFinished(() => client.close())
  return { requests, send: (method: string) => client.send({ method, path: '/v1/pets', headers: {} }) }
}

it.each(['GET', 'HEAD'])('%s is sent again if its open connection is reset', async (method) => {
  const { requests, send } = await startResettingServer()
  await send('GET')
  expect(await send(method)).toMatchObject({ status: 200 })
  expect(requests).toEqual(['GET', method, method])
})

it('POST is not sent again, since its pet may have been created', async () => {
  const { requests, send } = await startResettingServer()
  await send('GET')
  await expect(send('POST')).rejects.toThrow('closed the connection')
  expect(requests).toEqual(['GET', 'POST'])
})
