import { describe, expect, it } from 'vitest'
import { petOperations } from '../../../src/pets/rest.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { pageRow } from '../support/resolvers.ts'

const listPets = petOperations.listPets.prepare(schema)
const createPet = petOperations.createPet.prepare(schema)
const getPet = petOperations.getPet.prepare(schema)
const withRows = (...rows: (string | null)[][]) => createFakeDatabase(() => rows.map((row) => [...row]))

/** The query of an operation without query parameters. */
const noQuery = {} as never

describe('listPets', () => {
  const list = (query: object, database = withRows(pageRow(1))) =>
    listPets(
      { path: {}, query: { limit: 20, ...query }, headers: {}, body: undefined },
      createContext(database),
    )

  it('returns the pets, without a status that is not set', async () => {
    const row = ['6', '{1,9007199254740993}', '{Rex,Max}', '{7,-8}', '{sold,NULL}', '1']
    expect((await list({}, withRows(row))).body).toEqual([
      { id: 1, name: 'Rex', categoryId: 7, status: 'sold' },
      { id: 9007199254740993n, name: 'Max', categoryId: -8 },
    ])
  })

  it('sends its limit and its filter', async () => {
    const database = withRows(pageRow(1))
    await list({ limit: 5, status: 'sold' }, database)
    expect(database.statements).toMatchObject([{ parameters: ['{"6"}', '{"sold"}'] }])
  })

  it.each<[string, object, object]>([
    ['the first page', { limit: 2 }, { first: '/pets?limit=2' }],
    [
      'the next one, if there is one',
      { limit: 1 },
      { first: '/pets?limit=1', next: '/pets?limit=1&after=aWQ6MQ' },
    ],
    ['the same filter', { limit: 2, status: 'sold' }, { first: '/pets?limit=2&status=sold' }],
    ['not the current cursor', { limit: 2, after: 'aWQ6MA' }, { first: '/pets?limit=2' }],
    ['no unknown parameters', { limit: 2, more: 'x' }, { first: '/pets?limit=2' }],
  ])('links to %s', async (_, query, links) => {
    expect((await list(query, withRows(pageRow(1, 2)))).links).toEqual(links)
  })

  it('rejects an invalid cursor', async () => {
    await expect(list({ after: 'x' })).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })
})

describe('createPet', () => {
  const create = (body: object, headers = {}, database = withRows(['42'])) =>
    createPet(
      { path: {}, query: noQuery, headers, body: { name: 'Rex', categoryId: 7n, ...body } },
      createContext(database),
    )

  it('returns the pet and its address', async () => {
    expect(await create({ status: 'sold' })).toEqual({
      status: 201,
      body: { id: 42, name: 'Rex', categoryId: 7, status: 'sold' },
      location: '/pets/42',
    })
    expect(await create({})).toMatchObject({ body: { id: 42, name: 'Rex', categoryId: 7 } })
  })

  it('creates it only once for an idempotency key', async () => {
    const database = withRows(['42'])
    await create({}, { 'idempotency-key': 'k' }, database)
    expect(database.statements).toMatchObject([{ name: 'createPetOnce' }])
  })
})

describe('getPet', () => {
  const get = (petId: string, database = withRows(['42', 'Rex', '7', null])) =>
    getPet({ path: { petId }, query: noQuery, headers: {}, body: undefined }, createContext(database))

  it('returns the pet', async () => {
    expect(await get('42')).toEqual({ status: 200, body: { id: 42, name: 'Rex', categoryId: 7 } })
  })

  it.each(['43', 'x', '9223372036854775808'])('rejects an id that no pet has: %s', async (petId) => {
    await expect(get(petId)).rejects.toMatchObject({ code: 'PET_NOT_FOUND' })
  })
})
