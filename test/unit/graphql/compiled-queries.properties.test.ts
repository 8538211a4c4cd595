/** Random queries: compiled, they are answered as graphql-js answers them. */
import fc from 'fast-check'
import { execute, type GraphQLError, parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { describeError } from '../../../src/graphql/masked-errors.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createPetDatabase } from '../support/pets.ts'
import { chooseBy, randomQuery } from '../../support/random-documents.ts'
import { seed } from '../../support/seed.ts'

interface Result {
  data?: unknown
  errors?: readonly GraphQLError[] | undefined
}

/** What a client sees of a result. */
function describeResult({ data, errors = [] }: Result): { data: string; errors: object[] } {
  const context = createContext()
  return { data: JSON.stringify(data), errors: errors.map((error) => describeError(error, context).sent) }
}

it('random queries are valid', () => {
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const { query } = randomQuery(schema, chooseBy(g))
      expect(validate(schema, parse(query)), query).toEqual([])
    }),
    { seed, numRuns: 50 },
  )
})

it(`a compiled query has the data and the errors that graphql-js has (SEED=${seed})`, async () => {
  let [withErrors, rejected, withDirectives] = [0, 0, 0]
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const { query, variables } = randomQuery(schema, chooseBy(g))
      const document = parse(query)
      // The same with other texts, if it is valid, too.
      const other = query.replaceAll(/"(\\.|[^"\\])*"/g, (text) => `"${'y'.repeat(text.length - 2)}"`)
      const recorded = validate(schema, parse(other)).length === 0 ? other : query
      const queries = new CompiledQueries(schema, { cost: 1_000_000, length: 1_000_000 })
      for (let time = 0; time < 2; time += 1) queries.recordExecution(recorded, parse(recorded))
      // Those with names that begin with __ are not compiled.
      fc.pre(queries.find(query) !== null)
      if (query.includes('@')) withDirectives += 1

      const variableValues = JSON.parse(variables) as Record<string, unknown>
      const contextValue = createContext(createPetDatabase())
      const expected = await execute({ schema, document, variableValues, contextValue })
      const database = createPetDatabase()
      const found = await queries.answer(
        { query, variables: variableValues },
        'POST',
        createContext(database),
      )
      if (expected.errors) withErrors += 1
      if (found === null) {
        // Left to graphql-js.
        if (expected.errors) rejected += 1
        expect(database.statements, query).toEqual([])
      } else {
        expect(describeResult(found), `${query}\n${variables}`).toEqual(describeResult(expected))
      }
    }),
    { seed, numRuns: 500 },
  )
  // There are enough of each kind.
  expect(withDirectives).toBeGreaterThan(20)
  expect(rejected).toBeGreaterThan(20)
  expect(withErrors - rejected).toBeGreaterThan(20)
})
