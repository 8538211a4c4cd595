import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createPetDatabase } from '../support/pets.ts'

const query = 'query Pet($id: ID!) { pet(id: $id) { name } }'
const nameless = '{ pet(id: 1) { name } }'
const unknown = 'query Other { pet(id: 1) { name } }'
const variables = { id: '1' }

const queries = new CompiledQueries(schema, 2_000)
for (const text of [query, query, nameless, nameless, unknown]) queries.recordExecution(text, parse(text))

const answer = (text: unknown, params: object = {}, context = createContext(createPetDatabase())) =>
  queries.answer({ query: text, variables, ...params }, context)

describe('the fast path takes', () => {
  it.each<[string, string, object]>([
    ['a compiled query', query, {}],
    ['more variables', query, { variables: { ...variables, more: [1] } }],
    ['no variables', nameless, { variables: null }],
    ['the name of its operation', query, { operationName: 'Pet' }],
    ['no name of an operation', query, { operationName: null }],
    ['the id of a document', query, { documentId: 'sha256:x' }],
    ['extensions', query, { extensions: { client: 'x' } }],
    ['no extensions', query, { extensions: null }],
  ])('%s', async (_, text, params) => {
    expect(await answer(text, params)).toMatchObject({ data: { pet: { name: expect.any(String) } } })
  })

  it('a query whose name and cost are noted', async () => {
    const { outcome, ...context } = createContext(createPetDatabase())
    await answer(query, {}, { outcome, ...context })
    expect(outcome).toMatchObject({ operation: 'Pet', queryCost: 2 })
  })
})

describe('the fast path leaves to Yoga', () => {
  it.each<[string, unknown, object]>([
    ['a query that is not compiled', unknown, {}],
    ['a query that was never executed', `${query} `, {}],
    ['a query that is not a string', [query], {}],
    ['the name of another operation', query, { operationName: 'Cat' }],
    ['an empty name of an operation', query, { operationName: '' }],
    ['a name that is not a string', query, { operationName: 5 }],
    ['a name for a query without one', nameless, { operationName: 'Pet' }],
    ['parameters that are not valid', query, { more: 1 }],
  ])('%s', (_, text, params) => expect(answer(text, params)).toBeNull())

  it('variables that are not valid', async () => {
    expect(await answer(query, { variables: {} })).toBeNull()
  })
})
