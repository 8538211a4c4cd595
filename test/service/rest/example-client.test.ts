/** examples/rest-client. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { ApiError, createPetClient } from '../../../examples/rest-client/client.ts'
import { KEY, useService } from '../../support/service.ts'

const service = useService()
const connect = (key = KEY) => createPetClient(`${service.url}/v1`, key)
const BEYOND_DOUBLES = 9_007_199_254_740_993n

it('reads all pages, with every digit', async () => {
  await service.clear()
  const client = connect()
  const created = []
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    created.push(await client.createPet({ name, categoryId: BEYOND_DOUBLES, status: 'sold' }))
  expect(created[0]).toEqual({
    id: expect.any(BigInt),
    name: 'a',
    categoryId: BEYOND_DOUBLES,
    status: 'sold',
  })
  expect(await Array.fromAsync(client.listPets({ limit: '2', status: 'sold' }))).toEqual(created)
  expect(await Array.fromAsync(client.listPets({ status: 'pending' }))).toEqual([])
})

it('throws the Error body, without a retry', async () => {
  const rejected = await Array.fromAsync(connect('wrong').listPets()).catch((error: unknown) => error)
  expect(rejected).toBeInstanceOf(ApiError)
  expect(rejected).toMatchObject({
    status: 401,
    code: 'UNAUTHORIZED',
    message: expect.stringContaining('key'),
  })
  const invalid = connect().createPet({ name: 'a\0', categoryId: 1n })
  await expect(invalid).rejects.toMatchObject({ status: 400, code: 'INVALID_VALUE' })
})

it('creates a pet once, however often the request or its answer is lost', async () => {
  const before = await service.countPets()
  const faults: Fault[] = ['lose the answer', 429, 503]
  const pet = { name: 'Rex', categoryId: 7n }
  const client = createPetClient(`${await startUnreliableFront(faults)}/v1`, KEY)
  expect(await client.createPet(pet)).toMatchObject(pet)
  expect(faults).toEqual([])
  expect(await service.countPets()).toBe(before + 1)
})

it('runs as a program', async () => {
  const program = join(import.meta.dirname, '../../../examples/rest-client/main.ts')
  const env = { PETSTORE_API_KEY: KEY, PETSTORE_URL: `${service.url}/v1` }
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  expect(stdout).toMatch(/^Created: .*9007199254740993n.*\nListed \d+ pets\. The last: .*'Nova'/)
})

type Fault = 429 | 503 | 'lose the answer'

/** Between client and server. @param faults what happens to the first requests, which are removed from it */
async function startUnreliableFront(faults: Fault[]): Promise<string> {
  const server = createServer((request, response) => {
    const fault = faults.shift()
    if (typeof fault === 'number') response.writeHead(fault, { 'retry-after': '0' }).end('{}')
    else
      void forward(request).then(async (answer) => {
        if (fault === 'lose the answer') response.destroy()
        else response.writeHead(answer.status).end(await answer.text())
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function forward(request: IncomingMessage): Promise<Response> {
  const { url = '', method = '', headers } = request
  const names = ['authorization', 'content-type', 'idempotency-key'] as const
  return fetch(service.url + url, {
    method,
    headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
    body: await buffer(request),
  })
}
