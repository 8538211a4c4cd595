/** A value of an enumeration that only a later version knows: reads, events and writes go on, in both APIs. */
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { idOf } from '../../support/client.ts'
import { subscribe } from '../../support/event-stream.ts'
import { KEY, useService } from '../../support/service.ts'

const service = useService({})
const isEmbedded = process.env.TEST_DATABASE === 'embedded'
let id: string
beforeAll(async () => {
  await service.sql`alter type pet_status add value 'lost'`
})

const readPet = `query ($id: ID!) { pet(id: $id) { name status } pets(filter: {categoryId: ["77"]}) { nodes { status } } }`

/** Without a comparison with the contract, which does not know the value. */
async function readRest(path: string): Promise<unknown> {
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${KEY}` } })
  expect(response.status).toBe(200)
  return response.json()
}

it('a pet with an unknown status is read, listed, announced and deleted unchanged', async () => {
  const stream = await subscribe(service.url, KEY, 'subscription { petChanged { kind pet { status } } }')
  onTestFinished(() => stream.abort())
  id = idOf(await service.client.createPet({ name: 'Rex', categoryId: 77, status: 'sold' }))
  expect(await stream.next()).toMatchObject({ data: { petChanged: { kind: 'created' } } })
  await service.sql`update pets set status = 'lost' where id = ${id}`
  // What the test writes itself is announced only by triggers, and not on the embedded database.
  const lost = { kind: 'updated', pet: { status: 'lost' } }
  if (!isEmbedded && process.env.TEST_DATABASE !== 'citus')
    expect(await stream.next()).toEqual({ data: { petChanged: lost } })

  expect(await readRest(`/v1/pets/${id}`)).toMatchObject({ name: 'Rex', status: 'lost' })
  expect(await readRest('/v1/pets?limit=100')).toContainEqual(
    expect.objectContaining({ name: 'Rex', status: 'lost' }),
  )
  // Once by graphql-js, then compiled.
  for (let count = 0; count < 5; count += 1)
    expect(await service.client.graphql(readPet, { id })).toMatchObject({
      data: { pet: { name: 'Rex', status: 'lost' }, pets: { nodes: [{ status: 'lost' }] } },
    })
  const counts = await service.client.graphql('{ petCounts { status count } pets(first: 0) { totalCount } }')
  expect(counts.data).toEqual({
    petCounts: [
      { status: 'available', count: 0 },
      { status: 'pending', count: 0 },
      { status: 'sold', count: 0 },
      { status: 'lost', count: 1 },
      { status: null, count: 0 },
    ],
    pets: { totalCount: 1 },
  })

  const update = 'mutation ($id: ID!) { updatePet(id: $id, input: {name: "Max"}) { name status } }'
  expect((await service.client.graphql(update, { id })).data).toEqual({
    updatePet: { name: 'Max', status: 'lost' },
  })
  expect(await stream.next()).toEqual({ data: { petChanged: lost } })
  const remove = 'mutation ($id: ID!) { deletePet(id: $id) { status } }'
  expect((await service.client.graphql(remove, { id })).data).toEqual({ deletePet: { status: 'lost' } })
  expect(await service.sql`select from pets where id = ${id}`).toHaveLength(0)
})

it('an unknown status is not accepted as input', async () => {
  expect((await service.client.createPet({ name: 'Rex', categoryId: 1, status: 'lost' })).status).toBe(400)
  expect((await service.client.send('/v1/pets?status=lost')).status).toBe(400)
})
