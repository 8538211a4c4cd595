import { describe, expect, it } from 'vitest'
import { createFakeDatabase } from '../../support/database.ts'
import { execute } from '../../support/resolvers.ts'

const rex = ['42', 'Rex', '7', 'sold']
const withRex = () => createFakeDatabase(() => [rex])

describe('createPet', () => {
  const create =
    'mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { id status } }'
  const input = { name: 'Rex', categoryId: '7' }

  it.each([
    [undefined, null],
    [null, null],
    ['sold', 'sold'],
  ])('creates a pet with the status %s', async (status, stored) => {
    const database = withRex()
    const { data } = await execute(create, database, { input: { ...input, status } })
    expect(data).toEqual({ createPet: { id: '42', status: stored } })
    expect(database.statements).toMatchObject([
      { name: 'createPets', parameters: ['{"Rex"}', '{"7"}', `{${stored && `"${stored}"`}}`] },
    ])
  })

  it('creates it once for the API key and the idempotency key', async () => {
    const database = withRex()
    await execute(create, database, { input, key: 'k' })
    expect(database.statements).toMatchObject([{ name: 'createPetOnce' }])
    expect(database.statements[0]?.parameters.slice(0, 2)).toEqual(['client', 'k'])
  })

  it('reports all invalid values', async () => {
    const database = withRex()
    const { errors } = await execute(create, database, { input: { ...input, name: '\0' }, key: '' })
    expect(errors).toMatchObject([
      { code: 'INVALID_VALUE', problems: [{ argument: 'input.name' }, { argument: 'idempotencyKey' }] },
    ])
    expect(database.statements).toEqual([])
  })
})

describe('updatePet', () => {
  const update = 'mutation ($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { id } }'

  it.each<[object, (string | null)[]]>([
    [{ name: 'Max' }, ['Max', '42']],
    [{ categoryId: 8 }, ['8', '42']],
    [{ status: null }, [null, '42']],
    [{ name: 'Max', categoryId: '8', status: 'sold' }, ['Max', '8', 'sold', '42']],
  ])('sets the fields that are given: %j', async (input, parameters) => {
    const database = withRex()
    expect((await execute(update, database, { id: '42', input })).data).toEqual({ updatePet: { id: '42' } })
    expect(database.statements).toMatchObject([{ name: 'updatePet', parameters }])
  })

  it.each<[object, string[]]>([
    [{ name: null }, ['input.name']],
    [{ categoryId: null }, ['input.categoryId']],
    [{ name: '\ud800', categoryId: null }, ['input.name', 'input.categoryId']],
  ])('reports invalid values: %j', async (input, invalid) => {
    const database = withRex()
    const { errors } = await execute(update, database, { id: '42', input })
    expect(errors).toMatchObject([
      { code: 'INVALID_VALUE', problems: invalid.map((argument) => ({ argument })) },
    ])
    expect(database.statements).toEqual([])
  })
})

describe('a pet that does not exist', () => {
  it.each([
    ['updatePet', 'mutation { updatePet(id: 42, input: {name: "Max"}) { id } }'],
    ['deletePet', 'mutation { deletePet(id: 42) { id } }'],
  ])('is an error of %s', async (_, mutation) => {
    expect((await execute(mutation)).errors).toMatchObject([
      { code: 'PET_NOT_FOUND', problems: [{ argument: 'id' }] },
    ])
  })

  it.each(['x', '', '01', '9223372036854775808'])('is not looked up by an invalid id: %j', async (id) => {
    const database = withRex()
    const source = 'mutation ($id: ID!) { deletePet(id: $id) { id } }'
    expect((await execute(source, database, { id })).errors).toMatchObject([{ code: 'PET_NOT_FOUND' }])
    expect((await execute('query ($id: ID!) { pet(id: $id) { id } }', database, { id })).data).toEqual({
      pet: null,
    })
    expect(database.statements).toEqual([])
  })

  it('is null in a query', async () => {
    expect((await execute('{ pet(id: 42) { id } }')).data).toEqual({ pet: null })
  })
})

it('deletePet returns the pet as it was', async () => {
  const { data } = await execute('mutation { deletePet(id: 42) { id name categoryId status } }', withRex())
  expect(data).toEqual({ deletePet: { id: '42', name: 'Rex', categoryId: '7', status: 'sold' } })
})
