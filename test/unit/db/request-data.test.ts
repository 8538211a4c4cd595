import { eq } from 'drizzle-orm'
import { expect, expectTypeOf, it } from 'vitest'
import { RequestData } from '../../../src/db/request-data.ts'
import { crates } from '../../support/crates.ts'
import { createFakeDatabase } from '../support/database.ts'

it('a requestData is gone once its response is closed', () => {
  const response = { destroyed: false, once: () => undefined }
  const database = createFakeDatabase()
  const requestData = new RequestData(database, database, 'client', response)
  expect(requestData.isDisconnected).toBe(false)
  response.destroyed = true
  expect(requestData.isDisconnected).toBe(true)
})

it('a query of its db is a statement of this request, and runs where the request reads', async () => {
  const [database, target] = [createFakeDatabase(), createFakeDatabase()]
  const requestData = new RequestData(database, target, 'client', { destroyed: false, once: () => undefined })
  await requestData.db.select().from(crates).where(eq(crates.id, '7'))
  await requestData.db.delete(crates)
  expect(database.statements).toEqual([])
  expect(target.owners).toEqual([requestData, requestData])
  expect(target.statements).toMatchObject([
    { name: 'select crates', parameters: ['7'], prepare: false },
    { name: 'delete crates', parameters: [], prepare: false },
  ])
})

it('a request cannot reach what the server has for itself and for commands: that does not compile', () => {
  const shared = expectTypeOf<RequestData['shared']>()
  shared.not.toHaveProperty('db')
  shared.not.toHaveProperty('connect')
  shared.not.toHaveProperty('close')
})
