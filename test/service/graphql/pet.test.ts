/** Query.pet and the mutations of a pet; test/service/conformance.test.ts has all fields. */
import { expect, it } from 'vitest'
import { idOf } from '../../support/client.ts'
import { useService } from '../../support/service.ts'

const service = useService()

it.each(['999999999', 'abc', '', '01', '1.0', '9223372036854775808'])('no pet has the id %j', async (id) => {
  const query = 'query ($id: ID!) { pet(id: $id) { id } node(id: $id) { id } }'
  expect(await service.client.graphql(query, { id })).toEqual({
    status: 200,
    data: { pet: null, node: null },
  })
  for (const mutation of ['updatePet(id: $id, input: {name: "x"})', 'deletePet(id: $id)']) {
    const { errors } = await service.client.graphql(`mutation ($id: ID!) { ${mutation} { id } }`, { id })
    expect(errors).toMatchObject([{ extensions: { code: 'PET_NOT_FOUND', argument: 'id' } }])
  }
})

it('nodes returns pets by their ids, in their order, with null where there is none', async () => {
  const ids = await Promise.all(['a', 'b'].map((name) => service.client.createPet({ name, categoryId: 7 })))
  const [a = '', b = ''] = ids.map(idOf)
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Pet { name } } }'
  const ask = (sent: string[]) => service.client.graphql(query, { ids: sent })
  const found = [{ id: b, name: 'b' }, null, { id: a, name: 'a' }, null, { id: b, name: 'b' }]
  expect((await ask([b, '999999999', a, 'x', b])).data).toEqual({ nodes: found })
  expect((await ask([])).data).toEqual({ nodes: [] })
  expect((await ask(Array<string>(100).fill(a))).data).toMatchObject({ nodes: Array(100).fill({ id: a }) })
  const { errors } = await ask(Array<string>(101).fill(a))
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE', argument: 'ids' } }])
})

it('updatePet leaves a field unchanged if its variable is absent', async () => {
  const id = idOf(await service.client.createPet({ name: 'Rex', categoryId: 7, status: 'available' }))
  const query = `mutation ($id: ID!, $status: PetStatus) { updatePet(id: $id, input: { name: "Max", status: $status }) { name status } }`
  expect((await service.client.graphql(query, { id })).data).toEqual({
    updatePet: { name: 'Max', status: 'available' },
  })
})
