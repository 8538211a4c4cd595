import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { buildStatement } from '../../../src/db/postgres/statement.ts'
import { Session } from '../../../src/db/session.ts'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { RequestMemory } from '../../../src/base/request-memory.ts'
import { createFakeDatabase, createSession } from '../support/database.ts'

const statement = buildStatement('test', sql`select 1`).with({})

it('a session runs its statements as their owner, for one caller', async () => {
  const database = createFakeDatabase(() => [['7']])
  const session = createSession(database)
  expect(await session.query(statement)).toEqual([['7']])
  expect(database).toMatchObject({ statements: [statement], callers: [1], owners: [session] })
})

it('a session belongs to a key', () => {
  expect(createSession(createFakeDatabase()).clientName).toBe('client')
})

it('a session is gone once its response is closed', () => {
  const response = { isClosed: false, onClose: () => undefined }
  const memory = new RequestMemory(new MemoryBudget(), 'client', response)
  const session = new Session(createFakeDatabase(), 'client', memory, response)
  expect(session.isGone).toBe(false)
  response.isClosed = true
  expect(session.isGone).toBe(true)
})
