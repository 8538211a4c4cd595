/** When the first of these tests fails, `workarounds/graphql.ts` can be removed: graphql-js passes such values itself. */
import { buildSchema, execute, parse } from 'graphql'
import { expect, it } from 'vitest'
import { passUnknownEnumValues } from '../../../src/workarounds/graphql.ts'

const createSchema = () => buildSchema('enum State { known } type Query { state: State }')
const read = (schema = createSchema()) =>
  execute({ schema, document: parse('{ state }'), rootValue: { state: 'later' } })

it('graphql-js rejects a value of an enumeration that the schema does not have', () => {
  expect(read()).toMatchObject({ data: { state: null }, errors: [{ path: ['state'] }] })
})

it('such a value passes', () => {
  const schema = createSchema()
  passUnknownEnumValues(schema)
  expect(read(schema)).toMatchObject({ data: { state: 'later' } })
})
