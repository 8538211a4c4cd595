import { expect, it } from 'vitest'
import { fetchSortKey } from '../../../../src/resource/lists/fetch-sort-key.ts'
import { createFakeDatabase, createRequestData } from '../../support/database.ts'

it('texts are folded by the database, those of one iteration by one statement', async () => {
  const database = createFakeDatabase(() => [['books'], ['maps']])
  const requestData = createRequestData(database)
  const keys = ['BOOKS', 'Maps'].map((text) => fetchSortKey(requestData, text))
  expect(await Promise.all(keys)).toEqual(['books', 'maps'])
  expect(database.statements).toMatchObject([{ parameters: ['{"BOOKS","Maps"}'] }])
  expect(database.callers).toEqual([2])
})
