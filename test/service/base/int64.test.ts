/** int64 in both APIs: every digit is kept. conformance.test.ts has the fields of a pet, and unit tests what is no int64. */
import { expect, it, onTestFinished } from 'vitest'
import { idOf, nextPage } from '../../support/client.ts'
import { useService } from '../../support/service.ts'

const service = useService()

/** In ascending order. */
const exact = [
  ...['-9223372036854775808', '-9007199254740993', '-1', '0', '9007199254740991', '9007199254740992'],
  ...['9007199254740993', '1000000000000000000', '9223372036854775807'],
]
const insert = (id: string) => service.sql`insert into pets (id, name, category_id) values (${id}, 'Rex', 1)`

it.each(exact)('the id %s finds exactly its own pet', async (value) => {
  await service.clear()
  await insert(value)
  const { status, text } = await service.client.send(`/v1/pets/${value}`)
  expect([status, text]).toEqual([200, `{"id":${value},"name":"Rex","categoryId":1}`])
  const neighbours = [BigInt(value) - 1n, BigInt(value) + 1n]
  for (const id of neighbours) expect((await service.client.send(`/v1/pets/${id}`)).status).toBe(404)

  const query = `query ($id: ID!) { literal: pet(id: ${value}) { id } quoted: pet(id: "${value}") { id } variable: pet(id: $id) { id } }`
  const pet = { id: value }
  const { data } = await service.client.graphql(query, { id: value })
  expect(data).toEqual({ literal: pet, quoted: pet, variable: pet })
})

it('ids are exact in the pages of a list and their links', async () => {
  await service.clear()
  for (const id of exact) await insert(id)
  const ids: string[] = []
  let path: string | undefined = '/v1/pets?limit=2'
  while (path !== undefined) {
    const page = await service.client.send(path)
    ids.push(...[...page.text.matchAll(/"id":(-?\d+)/g)].map(([, id]) => String(id)))
    path = nextPage(page)
  }
  expect(ids).toEqual(exact)
})

it.each([
  ['1.0', '1'],
  ['10e-1', '1'],
  ['-0', '0'],
  ['9007199254740993.000', '9007199254740993'],
  ['9223372036854775807e0', '9223372036854775807'],
])('the JSON number %s is the integer %s', async (source, value) => {
  const { status, text } = await service.client.createPet(`{"name":"Rex","categoryId":${source}}`)
  expect([status, text]).toEqual([201, expect.stringContaining(`"categoryId":${value}}`)])
})

it('a creation after the last id has been used is IDS_EXHAUSTED in both APIs, and nothing is stored', async () => {
  await service.clear()
  const [last] = await service.sql<{ id: string }[]>`select last_value as id from pets_id_seq`
  onTestFinished(async () => {
    await service.sql`select setval('pets_id_seq', ${last?.id ?? '1'})`
  })
  await service.sql`select setval('pets_id_seq', 9223372036854775806)`
  const pet = { name: 'Rex', categoryId: 1 }
  expect(idOf(await service.client.createPet(pet))).toBe('9223372036854775807')
  for (const headers of [{}, { 'idempotency-key': crypto.randomUUID() }]) {
    const { status, json } = await service.client.send('/v1/pets', { method: 'POST', body: pet, headers })
    expect([status, json]).toMatchObject([507, { code: 'IDS_EXHAUSTED', status: 507 }])
  }
  const query = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }'
  const { status, json } = await service.client.post('/graphql', { query })
  expect([status, json]).toMatchObject([507, { errors: [{ extensions: { code: 'IDS_EXHAUSTED' } }] }])
  expect(await service.countPets()).toBe(1)
})
