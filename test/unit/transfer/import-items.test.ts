/** An import that Postgres rejects; test/process/import-export.test.ts imports into real databases. */
import { expect, it, vi } from 'vitest'
import { DedicatedConnection } from '../../../src/db/postgres/connection.ts'
import { petResource } from '../../../src/pets/pet-resource.ts'
import { importItems } from '../../../src/transfer/import-items.ts'
import { OperatorError } from '../../../src/base/service-error.ts'
import { toAddress } from '../../support/address.ts'
import { createFakeDatabase } from '../support/database.ts'

async function* bytes(): AsyncGenerator<Buffer> {
  yield Buffer.from('{"id":1,"name":"Rex","categoryId":7}\n')
}

it.each([
  ['23505', true, 'A pet with one of the ids was created meanwhile. Nothing was imported; try again.'],
  ['23505', false, 'The database rejected a pet (SQLSTATE 23505). Nothing was imported.'],
  ['23514', true, 'The database rejected a pet (SQLSTATE 23514). Nothing was imported.'],
  ['2200H', false, 'Nothing can be created: there are no ids left. Nothing was imported.'],
])('if a pet is rejected with %s (--keep-ids: %j), the reason is true', async (code, keepIds, message) => {
  const connection = new DedicatedConnection(toAddress('postgres://localhost:1/none'))
  vi.spyOn(connection, 'run').mockImplementation(async ({ name }) => {
    if (/^importPets/.test(name)) throw Object.assign(new Error('failed'), { code })
    return name === 'countImport' ? [['1']] : []
  })
  const database = createFakeDatabase()
  database.connect = () => Promise.resolve(connection)
  const options = { resource: petResource, format: 'ndjson', keepIds, skipsBad: false } as const
  const failed = importItems(database, { bytes: bytes(), size: null }, options)
  await expect(failed).rejects.toThrow(new OperatorError(message))
})
