/** Query.pet and the mutations of a pet. */
import { expect, it } from 'vitest'
import { idOf } from '../../support/client.ts'
import { useService } from '../../support/service.ts'

const service = useService()
const unknown = { id: '999999999' }
const createRex = async (status: string) =>
  idOf(await service.client.createPet({ name: 'Rex', categoryId: 7, status }))

it.each(['999999999', 'abc', '', '1.0', '9223372036854775808'])(
  'pet and node are null for the id %j',
  async (id) => {
    const query = 'query ($id: ID!) { pet(id: $id) { id } node(id: $id) { id } }'
    expect(await service.client.graphql(query, { id })).toEqual({
      status: 200,
      data: { pet: null, node: null },
    })
  },
)

it('node refetches a pet by its id', async () => {
  const id = await createRex('available')
  const query = 'query ($id: ID!) { node(id: $id) { __typename id ... on Pet { name } } }'
  expect((await service.client.graphql(query, { id })).data).toEqual({
    node: { __typename: 'Pet', id, name: 'Rex' },
  })
})

it('createPet with a null status creates a pet without a status', async () => {
  const query = 'mutation ($input: NewPet!) { createPet(input: $input) { name categoryId status } }'
  const input = { name: 'Rex', categoryId: '7', status: null }
  expect((await service.client.graphql(query, { input })).data).toEqual({ createPet: input })
})

it('updatePet updates only the fields that are given', async () => {
  const id = await createRex('available')
  const update = async (input: object) => {
    const query =
      'mutation ($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { name categoryId status } }'
    return (await service.client.graphql(query, { id, input })).data?.updatePet
  }
  expect(await update({})).toEqual({ name: 'Rex', categoryId: '7', status: 'available' })
  expect(await update({ status: 'sold' })).toEqual({ name: 'Rex', categoryId: '7', status: 'sold' })
  expect(await update({ name: 'Max', categoryId: '8' })).toEqual({
    name: 'Max',
    categoryId: '8',
    status: 'sold',
  })
  expect(await update({ status: null })).toEqual({ name: 'Max', categoryId: '8', status: null })
})

it('updatePet leaves a field unchanged if its variable is not given', async () => {
  const id = await createRex('available')
  const query = `mutation ($id: ID!, $status: PetStatus) { updatePet(id: $id, input: { name: "Max", status: $status }) { name status } }`
  expect((await service.client.graphql(query, { id })).data).toEqual({
    updatePet: { name: 'Max', status: 'available' },
  })
})

it('deletePet returns the deleted pet', async () => {
  const id = await createRex('sold')
  const query = 'mutation ($id: ID!) { deletePet(id: $id) { id name status } }'
  expect((await service.client.graphql(query, { id })).data).toEqual({
    deletePet: { id, name: 'Rex', status: 'sold' },
  })
  expect((await service.client.send(`/v1/pets/${id}`)).status).toBe(404)
  const again = await service.client.graphql(query, { id })
  expect(again.errors).toMatchObject([{ extensions: { code: 'PET_NOT_FOUND', argument: 'id' } }])
})

it.each([
  [
    'createPet with U+0000 in the name',
    'mutation { createPet(input: { name: "a\\u0000", categoryId: 1 }) { id } }',
    'input.name',
  ],
  [
    'updatePet with the name null',
    'mutation ($id: ID!) { updatePet(id: $id, input: { name: null }) { id } }',
    'input.name',
  ],
  [
    'updatePet with the category null',
    'mutation ($id: ID!) { updatePet(id: $id, input: { categoryId: null }) { id } }',
    'input.categoryId',
  ],
])('%s is rejected', async (_, query, argument) => {
  const { errors } = await service.client.graphql(query, unknown)
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE', argument } }])
})

it('updatePet with an unknown id is answered with PET_NOT_FOUND', async () => {
  const { errors } = await service.client.graphql(
    'mutation ($id: ID!) { updatePet(id: $id, input: { name: "x" }) { id } }',
    unknown,
  )
  expect(errors).toMatchObject([{ extensions: { code: 'PET_NOT_FOUND' } }])
})
