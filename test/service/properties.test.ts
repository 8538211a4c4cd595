/**
 * Requests that nobody thought of, made from schema/openapi.yaml: valid ones, which have to be taken, and invalid ones, which
 * have to be refused. Every answer is held against the contract on its way (support/client.ts).
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ContractOperation, readContract, type Schema } from '../../src/rest/contract.ts'
import { startService, type TestService } from '../support/service.ts'

/** SEED replays a run; a failure prints the path to its smallest case as well. */
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.info(`The requests of this run are made from SEED=${seed}.`)
const options = (numRuns: number) => ({ seed, numRuns, endOnFailure: true })

let service: TestService
beforeAll(async () => {
  service = await startService({ AUTH_FAILURE_LIMIT: 'off', LOG_LEVEL: 'error' })
})
afterAll(() => service.stop())

const operations = new Map(readContract().operations.map((operation) => [operation.id, operation]))
function find(id: ContractOperation['id']): ContractOperation {
  const operation = operations.get(id)
  if (!operation) throw new Error(`there is no ${id}`)
  return operation
}

/** JSON texts of values that a schema allows. */
function valid(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum).map((value) => JSON.stringify(value))
  if (schema.format === 'int64') return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000 }).map(String)
  if (schema.type === 'string') {
    return fc
      .string({ unit: 'binary' })
      .filter((text) => !text.includes('\0'))
      .map((text) => JSON.stringify(text))
  }
  const required = new Set(schema.required as string[])
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const field = valid(property).map((value) => `${JSON.stringify(name)}:${value}`)
    return required.has(name) ? field : fc.option(field)
  })
  return fc.tuple(...fields).map((members) => `{${members.filter((member) => member !== null).join()}}`)
}

const anything = fc.json({ maxDepth: 2 })
/** JSON texts of values that a schema does not allow. */
function invalid(schema: Schema): fc.Arbitrary<string> {
  const isAllowed = (value: unknown) => typeof value === 'string' && schema.enum?.includes(value)
  if (schema.enum) return anything.filter((text) => !isAllowed(JSON.parse(text)))
  if (schema.format === 'int64') {
    const beyond = fc.oneof(fc.bigInt({ min: 2n ** 63n }), fc.bigInt({ max: -(2n ** 63n) - 1n })).map(String)
    return fc.oneof(
      beyond,
      anything.filter((text) => typeof JSON.parse(text) !== 'number'),
      fc.constantFrom('0.5', '-1e-1', '1e99'),
    )
  }
  if (schema.type === 'string') return anything.filter((text) => !text.startsWith('"'))
  const properties = Object.entries(schema.properties ?? {})
  const members = (broken: string, text: fc.Arbitrary<string | null>) =>
    fc
      .tuple(
        ...properties.map(([name, property]) =>
          (name === broken ? text : valid(property)).map((value) =>
            value === null ? null : `"${name}":${value}`,
          ),
        ),
      )
      .map((list) => `{${list.filter((member) => member !== null).join()}}`)
  const wrong = properties.map(([name, property]) => members(name, invalid(property)))
  const missing = (schema.required as string[]).map((name) => members(name, fc.constant(null)))
  return fc.oneof(
    ...wrong,
    ...missing,
    anything.filter((text) => !text.startsWith('{')),
  )
}

const post = (body: string) => service.client.send('/v1/pets', { method: 'POST', body })
const parameters = (id: 'listPets') => find(id).query.properties ?? {}

it('createPet takes what is valid, and gives it back exactly', async () => {
  await fc.assert(
    fc.asyncProperty(valid(find('createPet').body ?? {}), async (body) => {
      const { status, text, headers } = await post(body)
      expect(status).toBe(201)
      // The answer is the body with an id in front, but for the order of fields and how a number is written.
      const sent = JSON.parse(body) as object
      expect(JSON.parse(text)).toEqual({ ...sent, id: expect.any(Number) })
      const digits = /"categoryId":(-?\d+)/.exec(body)?.[1] ?? ''
      expect(text).toMatch(new RegExp(`"categoryId":${digits}[,}]`))
      expect((await service.client.send(headers.location ?? '')).text).toBe(text)
    }),
    options(1_500),
  )
})

it('createPet refuses what is not, and keeps nothing of it', async () => {
  await service.clear()
  await fc.assert(
    fc.asyncProperty(invalid(find('createPet').body ?? {}), async (body) => {
      const { status, json } = await post(body)
      expect([status, json]).toMatchObject([400, { code: 'INVALID_VALUE' }])
    }),
    options(2_500),
  )
  expect((await service.client.send('/v1/pets')).json).toEqual([])
})

it('createPet answers any bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array(), fc.string()), async (body) => {
      expect((await service.client.send('/v1/pets', { method: 'POST', body })).status).toBe(400)
    }),
    options(1_000),
  )
})

it('listPets takes valid parameters and refuses others', async () => {
  const { limit = {}, status = {} } = parameters('listPets')
  const text = (schema: Schema) => valid(schema).map((value) => value.replaceAll('"', ''))
  await fc.assert(
    fc.asyncProperty(fc.option(text(limit)), fc.option(text(status)), async (size, availability) => {
      const query = new URLSearchParams({
        ...(size && { limit: size }),
        ...(availability && { status: availability }),
      })
      const { status: answered, json } = await service.client.send(`/v1/pets?${query.toString()}`)
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
        const { status: answered, json } = await service.client.send(
          `/v1/pets?${name}=${encodeURIComponent(value.toWellFormed())}`,
        )
        expect([answered, json]).toMatchObject([400, { message: expect.stringContaining(name) }])
      },
    ),
    options(1_500),
  )
})

it('getPet finds what is there, and nothing by any other id', async () => {
  await service.clear()
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1)
    ids.push(/"id":(\d+)/.exec((await post('{"name":"Rex","categoryId":1}')).text)?.[1] ?? '')
  const other = fc.oneof(
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
    fc.string({ minLength: 1 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...ids), other), async (id) => {
      fc.pre(id !== '.' && id !== '..' && id.isWellFormed())
      const { status } = await service.client.send(`/v1/pets/${encodeURIComponent(id)}`)
      expect(status).toBe(ids.includes(id) ? 200 : 404)
    }),
    options(1_500),
  )
  const [id = ''] = ids
  await service.client.graphql('mutation ($id: ID!) { deletePet(id: $id) { id } }', { id })
  expect((await service.client.send(`/v1/pets/${id}`)).status).toBe(404)
})

it('no operation is served without a valid key', async () => {
  const targets = fc.constantFrom('/v1/pets', '/v1/pets/1', '/graphql')
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE')
  const keys = fc.option(
    fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '_', '~', '+', '/', '=', ' ', ',') }),
  )
  await fc.assert(
    fc.asyncProperty(targets, methods, keys, async (path, method, key) => {
      expect((await service.client.send(path, { method, key })).status).toBe(401)
    }),
    options(1_000),
  )
})
