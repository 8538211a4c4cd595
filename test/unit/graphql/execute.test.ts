import { parse } from 'graphql'
import { expect, it } from 'vitest'
import { prepareOperation } from '../../../src/graphql/execute.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'

const read = prepareOperation<object, object>(schema, parse('query ($id: ID!) { pet(id: $id) { name } }'))

it('an operation returns its data', async () => {
  const database = createFakeDatabase(() => [['1', 'Rex', '7', null]])
  expect(await read({ id: '1' }, createContext(database))).toEqual({ pet: { name: 'Rex' } })
})

it('an operation throws a ServiceError, and nothing else', async () => {
  const database = createFakeDatabase(() => {
    throw new Error('secret')
  })
  const context = createContext(database)
  await expect(read({ id: '1' }, context)).rejects.toMatchObject({ name: 'ServiceError', code: 'INTERNAL' })
  expect(context.logged).toMatchObject([{ level: 'error' }])
})

it('a document that does not fit the schema is rejected, with the reason', () => {
  expect(() => prepareOperation(schema, parse('{ pets { nodes { wings } } }'))).toThrow(
    /Cannot query field "wings"/,
  )
})
