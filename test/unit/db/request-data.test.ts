import { expect, it } from 'vitest'
import { RequestData } from '../../../src/db/request-data.ts'
import { createFakeDatabase } from '../support/database.ts'

it('a requestData is gone once its response is closed', () => {
  const response = { closed: false, once: () => undefined }
  const database = createFakeDatabase()
  const requestData = new RequestData(database, database, 'client', response)
  expect(requestData.isGone).toBe(false)
  response.closed = true
  expect(requestData.isGone).toBe(true)
})
