/** Idempotency-Key: repeating a request does not create the pet again. conformance.test.ts repeats it with other pets. */
import { expect, it } from 'vitest'
import { deleteExpiredKeys } from '../../../src/resource/writes/idempotency.ts'
import { idOf } from '../../support/client.ts'
import { KEY, useService } from '../../support/service.ts'
import { createDb } from '../../../src/db/postgres/drizzle.ts'

const OTHER_KEY = 'another-secret-of-the-tests'
const service = useService({ API_KEYS: `test:${KEY},other:${OTHER_KEY}` })
const db = createDb({
  query: ({ text, parameters }) => service.sql.unsafe(text, [...parameters]).values(),
})
const rex = { name: 'Rex', categoryId: 7 }
const create = (pet: object, key: string) =>
  service.client.createPet(pet, { headers: { 'idempotency-key': key } })
const age = (key: string, time = '25 hours') =>
  service.sql`update idempotency_keys set created_at = now() - ${time}::interval where key = ${key}`

it('the same key and pet get the first answer again, in both APIs', async () => {
  const first = await create({ ...rex, status: 'sold' }, 'k1')
  const again = await create({ status: 'sold', ...rex, colour: 'red' }, 'k1')
  expect([again.status, again.text, again.headers.location]).toEqual([
    201,
    first.text,
    first.headers.location,
  ])
  const query =
    'mutation ($key: String) { createPet(input: {name: "Rex", categoryId: 7, status: sold}, idempotencyKey: $key) { id } }'
  const { data } = await service.client.graphql(query, { key: 'k1' })
  expect(data).toEqual({ createPet: { id: idOf(first) } })
})

it('of fifty requests at once, one creates the pet; the others get the same answer or 409', async () => {
  const before = await service.countPets()
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(rex, 'k3')))
  expect(await service.countPets()).toBe(before + 1)
  const created = answers.filter(({ status }) => status === 201)
  expect(new Set(created.map(({ text }) => text)).size).toBe(1)
  for (const { status, json } of answers) {
    expect([201, 409]).toContain(status)
    if (status === 409) expect(json).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
  }
})

it('requests that arrive together, each with its key, are independent of each other', async () => {
  const keys = ['a', 'b', 'a', 'c', 'b', 'a'].map((key) => `together-${key}`)
  const pets = keys.map((key, index) => ({ ...rex, name: index === 5 ? 'another' : key }))
  const before = await service.countPets()
  const answers = await Promise.all(pets.map((pet, index) => create(pet, keys[index] ?? '')))
  expect(await service.countPets()).toBe(before + 3)
  for (const [index, { status, json }] of answers.entries())
    if (status === 201) expect(json).toMatchObject({ name: keys[index] })
    else expect([409, 422]).toContain(status)
  const again = await Promise.all(pets.map((pet, index) => create(pet, keys[index] ?? '')))
  expect(again.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 422])
  expect(new Set(again.slice(0, 5).map((answer) => idOf(answer))).size).toBe(3)
  expect(await service.countPets()).toBe(before + 3)
})

it('a creation that fails does not use up its key', async () => {
  expect((await create({ ...rex, name: 'a\0b' }, 'k4')).status).toBe(400)
  expect((await create(rex, 'k4')).status).toBe(201)
})

it('a key can be reused after 24 hours, and is eventually deleted', async () => {
  await create(rex, 'k5')
  await age('k5')
  expect((await create({ ...rex, name: 'Max' }, 'k5')).status).toBe(201)
  await age('k5')
  // A creation runs it every second.
  await deleteExpiredKeys({ db })
  expect(await service.sql`select from idempotency_keys where key = 'k5'`).toHaveLength(0)
})

it('expired keys are deleted oldest first, those of ten seconds at a time', async () => {
  const ages = ['26 hours', '26 hours -5 seconds', '25 hours', '23 hours']
  for (const [index] of ages.entries()) await create(rex, `old${index}`)
  for (const [index, time] of ages.entries()) await age(`old${index}`, time)
  const remaining: string[][] = []
  for (let time = 0; time < 3; time += 1) {
    await deleteExpiredKeys({ db })
    const rows = await service.sql<{ key: string }[]>`
      select key from idempotency_keys where key like 'old%' order by key`
    remaining.push(rows.map(({ key }) => key))
  }
  expect(remaining).toEqual([['old2', 'old3'], ['old3'], ['old3']])
})

it.each(['', 'a b', 'x'.repeat(256)])('the key %j is rejected', async (key) => {
  const before = await service.countPets()
  const { status, json } = await create(rex, key)
  expect([status, json]).toMatchObject([400, { code: 'INVALID_VALUE', message: expect.any(String) }])
  expect(await service.countPets()).toBe(before)
})

it('two clients may use the same idempotency key', async () => {
  const [first, second] = await Promise.all(
    [KEY, OTHER_KEY].map((key) =>
      service.client.createPet(rex, { key, headers: { 'idempotency-key': 'k' } }),
    ),
  )
  expect([first?.status, second?.status]).toEqual([201, 201])
  expect(first?.text).not.toBe(second?.text)
})
