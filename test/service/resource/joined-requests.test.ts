/** Requests that arrive together are answered by one statement, but independently of each other. */
import { expect, it } from 'vitest'
import { idOf } from '../../support/client.ts'
import { startService, useService } from '../../support/service.ts'

const service = useService({})

it('a pet that the database rejects fails alone, and those created with it are stored', async () => {
  await service.sql`alter table pets add constraint no_ghosts check (name <> 'ghost')`
  const names = ['before', 'ghost', 'after', 'ghost', '{"\\', 'NULL', '', ' ', 'a,b', "it's", '🐕\n']
  const created = await Promise.all(names.map((name) => service.client.createPet({ name, categoryId: 1 })))
  expect(created.map(({ status }) => status)).toEqual(names.map((name) => (name === 'ghost' ? 500 : 201)))
  const stored = await service.sql`select name from pets`
  expect(stored.map(({ name }) => String(name)).sort()).toEqual(
    names.filter((name) => name !== 'ghost').sort(),
  )
})

it('each of many requests at once gets its own answer', async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  const created = await Promise.all(
    numbers.map((number) => service.client.createPet({ name: `n${number}`, categoryId: number })),
  )
  expect(created.map(({ json }) => json)).toMatchObject(
    numbers.map((number) => ({ name: `n${number}`, categoryId: number })),
  )
  const fetched = await Promise.all(
    created.map(async (answer, index) => {
      const id = idOf(answer)
      if (index % 2 === 0) return (await service.client.send(`/v1/pets/${id}`)).json
      const query = `{ pet(id: ${id}) { name } pets(first: 1) { pageInfo { hasNextPage } } }`
      return (await service.client.graphql(query)).data?.pet
    }),
  )
  expect(fetched).toMatchObject(numbers.map((number) => ({ name: `n${number}` })))
})

const UPDATE =
  'mutation ($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { id name categoryId status } }'
const update = async (id: string, input: object) =>
  (await service.client.graphql(UPDATE, { id, input })).data?.updatePet

it('updates at once change what each names, and nothing else, also several of one pet, of others and of none', async () => {
  const made = Array.from({ length: 12 }, (_, categoryId) =>
    service.client.createPet({ name: 'Rex', categoryId, status: 'sold' }),
  )
  const ids = (await Promise.all(made)).map(idOf)
  const [first = '', last = ''] = [ids[0], ids.at(-1)]
  const patches = [
    { name: 'Max' },
    { status: null },
    { categoryId: '-1' },
    { name: '{NULL,"\\\\', status: 'pending' },
  ]
  const patchOf = (index: number) => patches[index % patches.length] ?? {}
  const updated = await Promise.all([
    ...ids.map((id, index) => update(id, patchOf(index))),
    update('4611686018427387904', { name: 'none' }),
    update(first, { status: 'available' }),
    update(last, { categoryId: '77' }),
  ])
  const changed = ids.map((id, index) => ({
    id,
    name: 'Rex',
    categoryId: String(index),
    status: 'sold',
    ...patchOf(index),
  }))
  expect(updated.slice(1, 11)).toEqual(changed.slice(1, 11))
  expect(updated[12]).toBeNull()
  const stored =
    await service.sql`select id, name, category_id as "categoryId", status from pets where id = any(${ids}) order by id`
  expect(stored).toEqual([
    { ...changed[0], status: 'available' },
    ...changed.slice(1, 11),
    { ...changed[11], categoryId: '77' },
  ])
})

it('pets that another transaction is writing do not hold up the updates of others', async ({ skip }) => {
  skip(process.env.TEST_DATABASE === 'embedded', 'the embedded database has one session')
  const made = Array.from({ length: 20 }, () => service.client.createPet({ name: 'Rex', categoryId: 1 }))
  const ids = (await Promise.all(made)).map(idOf)
  // On Citus, each update waits on a connection of its own: eight that wait would hold up the others.
  const every = process.env.TEST_DATABASE === 'citus' ? 7 : 2
  const locked = ids.filter((_, index) => index % every === 0)
  const { promise: isLocked, resolve: lock } = Promise.withResolvers<undefined>()
  const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>()
  const other = service.sql.begin(async (sql) => {
    await sql`update pets set name = 'theirs' where id = any(${locked})`
    lock(undefined)
    await isReleased
  })
  await isLocked
  const updating = ids.map((id) => update(id, { status: 'sold' }))
  const ofFree = await Promise.all(updating.filter((_, index) => index % every !== 0))
  expect(ofFree).toMatchObject(ofFree.map(() => ({ name: 'Rex', status: 'sold' })))
  release(undefined)
  await other
  const all = await Promise.all(updating)
  expect(all).toMatchObject(
    ids.map((id) => ({ id, name: locked.includes(id) ? 'theirs' : 'Rex', status: 'sold' })),
  )
})

const SELL = `mutation ($id: ID!) { updatePet(id: $id, input: {status: sold}, expected: {status: available}) { id } }`
const REMOVE = `mutation ($id: ID!) { deletePet(id: $id, expected: {status: sold}) { id } }`

it('of twenty sales at once, on two servers, one succeeds', async () => {
  const url = service.databaseUrl
  const other = url ? await startService({ DATABASE_URL: url }) : null
  try {
    const id = idOf(await service.client.createPet({ name: 'Rex', categoryId: 1, status: 'available' }))
    for (const [query, refused] of [
      [SELL, 'CONFLICT'],
      [REMOVE, 'PET_NOT_FOUND'],
    ] as const) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? service : (other ?? service)).client.graphql(query, { id }),
        ),
      )
      const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'done').sort()
      expect(codes).toEqual([...Array<string>(19).fill(refused), 'done'])
    }
  } finally {
    await other?.stop()
  }
})
