import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { buildStatement } from '../../../src/db/postgres/statement.ts'
import { RequestData } from '../../../src/db/request-data.ts'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { RequestMemory } from '../../../src/base/request-memory.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'

const statement = buildStatement('test', sql`select 1`).with({})

it('a requestData runs its statements as their owner, for one caller', async () => {
  const database = createFakeDatabase(() => [['7']])
  const requestData = createRequestData(database)
  expect(await requestData.query(statement)).toEqual([['7']])
  expect(database).toMatchObject({ statements: [statement], callers: [1], owners: [requestData] })
})

it('a requestData belongs to a key', () => {
  expect(createRequestData(createFakeDatabase()).clientName).toBe('client')
})

it('a requestData is gone once its response is closed', () => {
  const response = { isClosed: false, onClose: () => undefined }
  const memory = new RequestMemory(new MemoryBudget(), 'client', response)
  const requestData = new RequestData(createFakeDatabase(), 'client', memory)
  expect(requestData.isGone).toBe(false)
  response.isClosed = true
  expect(requestData.isGone).toBe(true)
})
