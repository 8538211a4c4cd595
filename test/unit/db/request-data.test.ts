import { expect, it } from 'vitest'
import { RequestData } from '../../../src/db/request-data.ts'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { RequestMemory } from '../../../src/base/request-memory.ts'
import { createFakeDatabase } from '../support/database.ts'

it('a requestData is gone once its response is closed', () => {
  const response = { isClosed: false, onClose: () => undefined }
  const memory = new RequestMemory(new MemoryBudget(), 'client', response)
  const database = createFakeDatabase()
  const requestData = new RequestData(database, database, 'client', memory)
  expect(requestData.isGone).toBe(false)
  response.isClosed = true
  expect(requestData.isGone).toBe(true)
})
