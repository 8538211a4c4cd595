import { expect, it } from 'vitest'
import { createDemoPets } from '../../../src/pets/demo-pets.ts'
import { readArray } from '../../../src/db/postgres/text-values.ts'
import { answerRow } from '../support/answers.ts'
import { createFakeDatabase } from '../support/database.ts'

const namesOf = (statements: { name: string }[]) => statements.map(({ name }) => name)

it('a database that has held a pet gets no demo pets, even if it is empty now', async () => {
  const database = createFakeDatabase((statement) => answerRow(statement, { hasHeld: true }))
  await createDemoPets(database)
  expect(namesOf(database.statements)).toEqual(['select pets_id_seq'])
})

it('a new database gets demo pets of every category and status, with one statement', async () => {
  const database = createFakeDatabase((statement) => {
    if (statement.name === 'select pets_id_seq') return answerRow(statement, { hasHeld: false })
    return readArray(statement.parameters[0]).map((_, index) => [String(index + 1)])
  })
  await createDemoPets(database)
  expect(namesOf(database.statements)).toEqual(['select pets_id_seq', 'createPets'])
  const [, categories, statuses] = (database.statements[1]?.parameters ?? []).map(readArray)
  expect(new Set(categories).size).toBe(6)
  // Drizzle writes NULL in lower case; Postgres accepts both.
  expect(new Set(statuses)).toEqual(new Set(['available', 'pending', 'sold', 'null']))
})
