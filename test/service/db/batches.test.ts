/** Requests that arrive together are answered by one statement, but independently of each other. */
import { expect, it } from 'vitest'
import { idOf } from '../../support/client.ts'
import { useService } from '../../support/service.ts'

const service = useService()

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
