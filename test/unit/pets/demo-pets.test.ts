import { expect, it } from 'vitest'
import { createDemoPets } from '../../../src/pets/demo-pets.ts'
import { readArray } from '../../../src/db/postgres/statement.ts'
import { createFakeDatabase } from '../support/database.ts'

const namesOf = (statements: { name: string }[]) => statements.map(({ name }) => name)

it('a database that has held a pet gets no demo pets, even if it is empty now', async () => {
  const database = createFakeDatabase(() => [['true']])
  await createDemoPets(database)
  expect(namesOf(database.statements)).toEqual(['isSequenceUsed'])
})

it('a new database gets demo pets of every category and status, with one statement', async () => {
  const database = createFakeDatabase(({ name, parameters: [names] }) =>
    name === 'isSequenceUsed' ? [['false']] : readArray(names).map((_, index) => [String(index + 1)]),
  )
  await createDemoPets(database)
  expect(namesOf(database.statements)).toEqual(['isSequenceUsed', 'createPets'])
  const [, categories, statuses] = (database.statements[1]?.parameters ?? []).map(readArray)
  expect(new Set(categories).size).toBe(6)
  // Drizzle writes NULL in lower case; Postgres accepts both.
  expect(new Set(statuses)).toEqual(new Set(['available', 'pending', 'sold', 'null']))
})
