/** The log of requests. */
import { beforeEach, expect, it } from 'vitest'
import { KEY, READ_KEY, useService } from '../../support/service.ts'

const service = useService()
beforeEach(() => {
  service.log.length = 0
})

it('a line has the route, the key name and the request id, but no secret and nothing else from the URL', async () => {
  await service.client.send(`/v1/pets?status=sold&key=${KEY}`, { headers: { 'x-request-id': 'one' } })
  await service.client.send(`/${KEY}?q=${KEY}`)
  await service.client.send(`/v1/pets/${KEY}`, { key: `${KEY}x` })
  await service.client.post('/graphql', { query: `{ pet(id: "${KEY}") { id } }` })
  // The service is also that of other files: what they did to its database may still be reported.
  const lines = service.log.filter(({ msg }) => msg === 'request')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatchObject({
    reqId: 'one',
    method: 'GET',
    route: '/v1/pets',
    status: 200,
    key: 'test',
  })
  expect(lines[2]).toMatchObject({ route: '/v1/pets/{petId}', status: 401 })
  expect(JSON.stringify(service.log)).not.toContain(KEY)
})

it('a line says which pet a REST request was for', async () => {
  const { json } = await service.client.createPet({ name: 'Rex', categoryId: 1 })
  const { id } = json as { id: number }
  await service.client.send(`/v1/pets/${id}`)
  const line = { route: '/v1/pets/{petId}', params: { petId: String(id) }, operation: 'getPet' }
  expect(service.log.at(-1)).toMatchObject(line)
})

it.each([
  [
    '{ a: pet(id: 1) { id } ...F ...F } fragment F on Query { pets { totalCount } pet(id: 1) { id } }',
    'query',
    ['pet', 'pets'],
  ],
  [
    'mutation Sell { deletePet(id: "0") { id } ... { x: deletePet(id: "0") { id } } }',
    'mutation',
    ['deletePet'],
  ],
  ['query A { pet(id: 1) { id } } query Sell { petCounts { count } }', 'query', ['petCounts']],
  ['{ colour }', undefined, undefined],
])(
  'a line says what a GraphQL operation did, also without a name: %s',
  async (query, operationType, rootFields) => {
    const operationName = query.includes('Sell') ? 'Sell' : undefined
    for (let time = 0; time < 3; time += 1) {
      await service.client.post('/graphql', { query, operationName })
      const line = service.log.at(-1)
      expect([line?.operation, line?.operationType, line?.rootFields]).toEqual([
        operationName,
        operationType,
        rootFields,
      ])
    }
  },
)

it('each call to an operation is logged with its name and that of the key', async () => {
  for (let call = 0; call < 2; call += 1) await service.client.send('/v1/pets/0')
  await service.client.send('/v1/pets/0', { key: 'wrong' })
  await service.client.send('/v1/pets/0', { key: READ_KEY })
  for (const method of ['OPTIONS', 'PROPFIND']) await service.client.send('/v1/pets/0', { method })
  const calls = service.log.filter(({ operation, status }) => operation === 'getPet' && status === 404)
  expect(calls.map(({ key }) => key)).toEqual(['test', 'test', 'reader'])
})
