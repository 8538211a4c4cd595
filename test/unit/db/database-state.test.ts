import { expect, it } from 'vitest'
import { askState } from '../../../src/db/database-state.ts'
import type { TextRow } from '../../../src/db/postgres/statement.ts'

/** What a database with triggers has to say, which answers with these rows. */
const ask = (...rows: TextRow[]) =>
  askState({ query: async () => rows }, ['crates'], { isIdentifiable: false, isDistributed: false })

it('each condition that holds is an impairment, with its problem and advice; read-only is also told apart', async () => {
  const impairment = { problem: expect.any(String) as string, advice: expect.any(String) as string }
  expect(await ask(['here', null, null, 't', 'f', 'f', 't'])).toEqual({
    isReadOnly: true,
    place: 'here',
    impairments: [impairment, impairment],
  })
  expect(await ask(['here', null, null, 'f', 'f', 'f', 'f'])).toEqual({
    isReadOnly: false,
    place: 'here',
    impairments: [],
  })
})

it('tables that are missing, or may not be read, are waited for', async () => {
  const kind = 'passing'
  await expect(ask(['here', 'crates', null])).rejects.toMatchObject({ databaseCode: '42P01', kind })
  await expect(ask(['here', null, 'crates'])).rejects.toMatchObject({ databaseCode: '42501', kind })
})

it('without a result, nothing counts as healthy', async () => {
  await expect(ask()).rejects.toThrow('no result')
})
