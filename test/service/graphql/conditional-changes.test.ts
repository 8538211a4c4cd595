/** updatePet and deletePet with `expected`: a pet is changed only if it is as the client believes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GraphQLAnswer, idOf } from '../../support/client.ts'
import { useService } from '../../support/service.ts'
import { countRuns, seed } from '../../support/seed.ts'

const service = useService()
const UPDATE =
  'mutation ($id: ID!, $input: PetChanges!, $expected: PetChanges) { updatePet(id: $id, input: $input, expected: $expected) { name categoryId status } }'
const DELETE =
  'mutation ($id: ID!, $expected: PetChanges) { deletePet(id: $id, expected: $expected) { name categoryId status } }'

const create = async (pet: object = {}) =>
  idOf(await service.client.createPet({ name: 'Rex', categoryId: 7, status: 'available', ...pet }))
const update = (id: string, input: object, expected?: object | null) =>
  service.client.graphql(UPDATE, { id, input, expected })
const remove = (id: string, expected?: object | null) => service.client.graphql(DELETE, { id, expected })
const find = async (id: string) => {
  const { data } = await service.client.graphql(
    'query ($id: ID!) { pet(id: $id) { name categoryId status } }',
    { id },
  )
  return data?.pet
}
const codeOf = ({ errors }: GraphQLAnswer) => errors?.[0]?.extensions.code ?? 'done'
const rex = { name: 'Rex', categoryId: '7', status: 'available' }

// What a pet has to be like: the random histories below, field by field.
it.each([
  ['all fields', rex],
  ['an integer', { categoryId: 7 }],
  ['no field', {}],
  ['null', null],
])('a pet that is as expected is changed: %s', async (_, expected) => {
  const id = await create()
  const updated = { updatePet: { ...rex, status: 'sold' } }
  expect((await update(id, { status: 'sold' }, expected)).data).toEqual(updated)
  await update(id, { status: 'available' })
  expect((await remove(id, expected)).data).toEqual({ deletePet: rex })
  expect(await find(id)).toBeNull()
})

it('a name is as expected byte for byte', async () => {
  const id = await create({ name: "É'\\{}, NULL" })
  for (const name of ["é'\\{}, NULL", "É'\\{}, NULL ", 'NULL', ''])
    expect(codeOf(await update(id, { status: 'sold' }, { name }))).toBe('CONFLICT')
  expect(codeOf(await update(id, { status: 'sold' }, { name: "É'\\{}, NULL" }))).toBe('done')
})

it.each([
  ['status', ['status'], { name: 'Rex', status: null }],
  ['name and status', ['name', 'status'], { name: 'Max', categoryId: '7', status: 'sold' }],
  [
    'name, categoryId and status',
    ['name', 'categoryId', 'status'],
    { name: '', categoryId: '-7', status: 'sold' },
  ],
])(
  'a pet that is not as expected is left as it is, and the error names the fields: %s',
  async (_, names, expected) => {
    const id = await create()
    const problems = names.map((name) => ({ argument: `expected.${name}` }))
    const conflict = {
      extensions: { code: 'CONFLICT', argument: `expected.${names[0]}`, problems },
    }
    for (const answer of [await update(id, { status: 'sold' }, expected), await update(id, {}, expected)])
      expect(answer).toMatchObject({ status: 200, data: { updatePet: null }, errors: [conflict] })
    expect(await remove(id, expected)).toMatchObject({
      status: 200,
      data: { deletePet: null },
      errors: [conflict],
    })
    expect(await find(id)).toEqual(rex)
  },
)

it('a pet that does not exist is not found, whatever is expected', async () => {
  const expected = { status: 'available' }
  for (const id of ['999999999', 'abc'])
    for (const answer of [
      await update(id, { status: 'sold' }, expected),
      await update(id, {}, expected),
      await remove(id, expected),
    ])
      expect(codeOf(answer)).toBe('PET_NOT_FOUND')
})

it.each([
  ['expected.name', { name: null }],
  ['expected.categoryId', { categoryId: null }],
  ['expected.name', { name: 'a\0' }],
])('%s is validated as in the input: %j', async (argument, expected) => {
  for (const answer of [await update('1', { status: 'sold' }, expected), await remove('1', expected)])
    expect(answer.errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE', argument } }])
})

it('all invalid values of the input and of what is expected are reported', async () => {
  const { errors } = await update('1', { name: null }, { categoryId: null })
  expect(errors?.[0]?.extensions.problems).toMatchObject([
    { argument: 'input.name' },
    { argument: 'expected.categoryId' },
  ])
})

type Fields = Readonly<Record<string, string | null>>

describe('random histories', () => {
  console.info(`The histories were generated with SEED=${seed}.`)
  const changes = fc.record(
    {
      name: fc.constantFrom('Rex', 'Max', ''),
      categoryId: fc.constantFrom('7', '-8'),
      status: fc.constantFrom('available', 'sold', null),
    },
    { requiredKeys: [] },
  )
  const step = fc.record({
    pet: fc.nat(1),
    input: fc.option(changes),
    expected: fc.option(changes),
  })

  /** What a step does to the pets of the model. @returns the code of its answer */
  function apply(
    pets: (Fields | null)[],
    { pet, input, expected }: { pet: number; input: Fields | null; expected: Fields | null },
  ): string {
    const now = pets[pet]
    if (!now) return 'PET_NOT_FOUND'
    if (Object.entries(expected ?? {}).some(([name, value]) => now[name] !== value)) return 'CONFLICT'
    pets[pet] = input && { ...now, ...input }
    return 'done'
  }

  it('end as in a model of two pets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const ids = [await create(), await create({ status: undefined })]
        const pets: (Fields | null)[] = [rex, { ...rex, status: null }]
        for (const one of steps) {
          const id = ids[one.pet] ?? ''
          const { input, expected } = one
          const answer = input ? await update(id, input, expected) : await remove(id, expected)
          expect(codeOf(answer)).toBe(apply(pets, one))
          expect(await Promise.all(ids.map(find))).toEqual(pets)
        }
      }),
      { seed, numRuns: countRuns(60), endOnFailure: true },
    )
  })
})
