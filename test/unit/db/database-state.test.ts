import { expect, it } from 'vitest'
import { askState } from '../../../src/db/database-state.ts'
import { answerRow, HEALTHY_STATE } from '../support/answers.ts'

const traits = { isIdentifiable: false, isDistributed: false }

/** What a database with triggers has to say. @param changes the answers that differ from those of a healthy one */
const ask = (changes: Partial<Record<keyof typeof HEALTHY_STATE, boolean | string>> = {}) =>
  askState(
    { query: async (statement) => answerRow(statement, { ...HEALTHY_STATE, ...changes }) },
    ['crates'],
    traits,
  )

it('a healthy database has no impairments', async () => {
  expect(await ask()).toEqual({ isReadOnly: false, place: 'here', impairments: [] })
})

it.each([
  ['isReadOnly', 'the database is read-only'],
  ['isQueueHalfFull', 'the NOTIFY queue of Postgres is half full'],
  ['lacksTriggers', 'triggers are missing or disabled'],
  ['skipsTriggers', 'session_replication_role is replica'],
] as const)('%s is an impairment: %s', async (name, problem) => {
  expect(await ask({ [name]: true })).toEqual({
    isReadOnly: name === 'isReadOnly',
    place: 'here',
    impairments: [
      { problem: expect.stringContaining(problem) as string, advice: expect.any(String) as string },
    ],
  })
})

it('tables that are missing, or may not be read, are waited for', async () => {
  const kind = 'passing'
  await expect(ask({ missing: 'crates' })).rejects.toMatchObject({ databaseCode: '42P01', kind })
  await expect(ask({ hidden: 'crates' })).rejects.toMatchObject({ databaseCode: '42501', kind })
})

it('an answer that is neither true nor false does not count as healthy', async () => {
  await expect(ask({ lacksTriggers: 'maybe' })).rejects.toThrow('lacksTriggers')
})

it('without a result, nothing counts as healthy', async () => {
  await expect(askState({ query: async () => [] }, ['crates'], traits)).rejects.toThrow('no result')
})
