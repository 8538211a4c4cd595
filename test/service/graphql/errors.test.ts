/** Errors of GraphQL operations: their codes and the arguments that they name. */
import { expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
const createPet =
  'mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { id } }'

it('each invalid variable has a separate error, which names the field', async () => {
  const input = { name: 1, categoryId: 'x', status: 'Sold', colour: 'red' }
  const { errors } = await service.client.graphql(createPet, { input, key: 7 })
  expect(errors?.map(({ extensions }) => [extensions.code, extensions.argument])).toEqual(
    ['input.categoryId', 'input.name', 'input.status', 'input.colour', 'key'].map((argument) => [
      'INVALID_VALUE',
      argument,
    ]),
  )
})

it.each([
  ['a missing variable', {}, 'input'],
  ['a missing field', { input: { name: 'Rex' } }, 'input.categoryId'],
  ['a list instead of an object', { input: [] }, 'input'],
  ['a number that JSON has rounded', { input: { name: 'Rex', categoryId: 2 ** 53 } }, undefined],
])('the error names the field: %s', async (_, variables, argument) => {
  const { errors } = await service.client.graphql(createPet, variables)
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_VALUE', ...(argument && { argument }) })
})

it('all invalid values are in one error, and nothing is stored', async () => {
  const variables = { input: { name: 'a\0', categoryId: '1' }, key: 'not one' }
  const { errors } = await service.client.graphql(createPet, variables)
  expect(errors).toMatchObject([
    {
      message: expect.stringMatching(/^name must .*\. The idempotency key must /) as string,
      path: ['createPet'],
      extensions: {
        code: 'INVALID_VALUE',
        argument: 'input.name',
        problems: [
          { argument: 'input.name', message: expect.any(String) as string },
          { argument: 'idempotencyKey', message: expect.any(String) as string },
        ],
      },
    },
  ])
  expect(await service.countPets()).toBe(0)
})

it.each([
  ['{ petz { id } }', {}],
  ['{ pets(firs: 1) { totalCount } }', {}],
  ['{ pets(filter: {statu: [sold]}) { totalCount } }', {}],
  ['{ pets(filter: {status: [solt]}) { totalCount } }', {}],
  ['query ($filter: PetFilte) { pets(filter: $filter) { totalCount } }', {}],
  ['query ($filter: PetFilter) { pets(filter: $filter) { totalCount } }', { filter: { status: ['solt'] } }],
  ['query ($filter: PetFilter) { pets(filter: $filter) { totalCount } }', { filter: { statu: [] } }],
  ['subscription ($filter: PetFilter) { petChanged(filter: $filter) { kind } }', { filter: { statu: [] } }],
])('an error suggests no names from the schema: %s', async (query, variables) => {
  const headers = { accept: 'text/event-stream, application/json' }
  const { text } = await service.client.post('/graphql', { query, variables }, { headers })
  expect(text).toMatch(/INVALID_(REQUEST|VALUE)/)
  expect(text).not.toMatch(/did you mean/i)
})
