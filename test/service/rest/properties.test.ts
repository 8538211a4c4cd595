/**
 * Random requests generated from schema/openapi.yaml: valid ones are accepted, invalid ones rejected. support/client.ts checks
 * every response against the contract.
 */
import { Agent } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ContractOperation, readContract, type Schema } from '../../../src/rest/contract.ts'
import { createClient, idOf, type TestClient } from '../../support/client.ts'
import { KEY, useService } from '../../support/service.ts'
import { invalid, valid } from './random-json.ts'
import { countRuns, seed } from '../../support/seed.ts'

/**
 * SEED repeats a run; a failure prints the smallest failing case. CI uses a fixed seed, so a failure there is due to the change.
 */
console.info(`The requests were generated with SEED=${seed}.`)
/** Milliseconds: a very busy machine sends fewer requests, instead of going on while the next test runs. */
const MAX_TIME = 60_000
const options = (numRuns: number) => ({
  seed,
  numRuns: countRuns(numRuns),
  endOnFailure: true,
  interruptAfterTimeLimit: MAX_TIME,
})

const service = useService({ AUTH_FAILURE_LIMIT: 'off', LOG_LEVEL: 'error' })
/** With a connection that is kept, thousands of requests take a third less time. */
const agent = new Agent({ keepAlive: true })
let client: TestClient
beforeAll(() => {
  client = createClient(service.url, KEY, { agent })
})
afterAll(() => agent.destroy())

const operations = new Map(readContract().operations.map((operation) => [operation.id, operation]))
function find(id: ContractOperation['id']): ContractOperation {
  const operation = operations.get(id)
  if (!operation) throw new Error(`There is no operation ${id}`)
  return operation
}

// First, since no pet may be there.
it('createPet rejects invalid bodies, and stores nothing', async () => {
  await fc.assert(
    fc.asyncProperty(invalid(find('createPet').bodySchema ?? {}), async (body) => {
      const { status, json } = await client.createPet(body)
      expect([status, json]).toMatchObject([400, { code: 'INVALID_VALUE' }])
    }),
    options(2_500),
  )
  expect((await client.send('/v1/pets')).json).toEqual([])
})

it('createPet accepts valid bodies, and returns them exactly', async () => {
  await fc.assert(
    fc.asyncProperty(valid(find('createPet').bodySchema ?? {}), async (body) => {
      const { status, text, headers } = await client.createPet(body)
      expect(status).toBe(201)
      // As sent, except for the order of fields and the notation of numbers.
      const input = JSON.parse(body) as object
      expect(JSON.parse(text)).toEqual({ ...input, id: expect.any(Number) })
      const digits = /"categoryId":(-?\d+)/.exec(body)?.[1] ?? ''
      expect(text).toMatch(new RegExp(`"categoryId":${digits}[,}]`))
      expect((await client.send(headers.location ?? '')).text).toBe(text)
    }),
    options(1_500),
  )
})

it('createPet answers 400 to random bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array(), fc.string()), async (body) => {
      expect((await client.createPet(body)).status).toBe(400)
    }),
    options(1_000),
  )
})

it('listPets accepts valid parameters, and rejects invalid ones', async () => {
  const { limit = {}, status = {} } = find('listPets').querySchema.properties
  const text = (schema: Schema) => valid(schema).map((value) => value.replaceAll('"', ''))
  await fc.assert(
    fc.asyncProperty(fc.option(text(limit)), fc.option(text(status)), async (size, availability) => {
      const query = new URLSearchParams({
        ...(size && { limit: size }),
        ...(availability && { status: availability }),
      })
      const { status: answered, json } = await client.send(`/v1/pets?${query.toString()}`)
      expect(answered).toBe(200)
      expect((json as unknown[]).length).toBeLessThanOrEqual(Number(size ?? 20))
    }),
    options(1_000),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('limit', 'status', 'after'),
      fc.string({ unit: 'binary' }),
      async (name, value) => {
        fc.pre(!(name === 'limit' && /^([1-9]\d?|100)$/.test(value)) && !(status.enum ?? []).includes(value))
        const { status: answered, json } = await client.send(
          `/v1/pets?${name}=${encodeURIComponent(value.toWellFormed())}`,
        )
        expect([answered, json]).toMatchObject([400, { message: expect.stringContaining(name) }])
      },
    ),
    options(1_500),
  )
})

it('getPet finds every pet by its id, and nothing by any other value', async () => {
  await service.clear()
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1)
    ids.push(idOf(await client.createPet({ name: 'Rex', categoryId: 1 })))
  const other = fc.oneof(
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
    fc.string({ minLength: 1 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...ids), other), async (id) => {
      fc.pre(id !== '.' && id !== '..' && id.isWellFormed())
      const { status } = await client.send(`/v1/pets/${encodeURIComponent(id)}`)
      expect(status).toBe(ids.includes(id) ? 200 : 404)
    }),
    options(1_500),
  )
  const [id = ''] = ids
  await client.deletePet(id)
  expect((await client.send(`/v1/pets/${id}`)).status).toBe(404)
})

it('every operation answers 401 without a valid key', async () => {
  const targets = fc.constantFrom('/v1/pets', '/v1/pets/1', '/graphql')
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE')
  const keys = fc.option(
    fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '_', '~', '+', '/', '=', ' ', ',') }),
  )
  await fc.assert(
    fc.asyncProperty(targets, methods, keys, async (path, method, key) => {
      expect((await client.send(path, { method, key })).status).toBe(401)
    }),
    options(1_000),
  )
})
