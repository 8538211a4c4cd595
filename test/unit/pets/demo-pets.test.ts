import { expect, it } from 'vitest'
import { createDemoPets } from '../../../src/pets/demo-pets.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import { readArray } from '../../../src/db/postgres/text-values.ts'
import { createFakeDatabase } from '../support/database.ts'

/** Whether there has been a pet. */
function answerUsed({ onColumns }: Statement, isUsed: 't' | 'f'): TextRow[] {
  onColumns?.([{ name: 'hasHeld', type: 16 }])
  return [[isUsed]]
}

const namesOf = (statements: { name: string }[]) => statements.map(({ name }) => name)

it('a database that has held a pet gets no demo pets, even if it is empty now', async () => {
  const database = createFakeDatabase((statement) => answerUsed(statement, 't'))
  await createDemoPets(database)
  expect(namesOf(database.statements)).toEqual(['select pets_id_seq'])
})

it('a new database gets demo pets of every category and status, with one statement', async () => {
  const database = createFakeDatabase((statement) => {
    if (statement.name === 'select pets_id_seq') return answerUsed(statement, 'f')
    return readArray(statement.parameters[0]).map((_, index) => [String(index + 1)])
  })
  await createDemoPets(database)
  expect(namesOf(database.statements)).toEqual(['select pets_id_seq', 'createPets'])
  const [, categories, statuses] = (database.statements[1]?.parameters ?? []).map(readArray)
  expect(new Set(categories).size).toBe(6)
  // Drizzle writes NULL in lower case; Postgres accepts both.
  expect(new Set(statuses)).toEqual(new Set(['available', 'pending', 'sold', 'null']))
})
