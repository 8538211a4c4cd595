/** Random queries: compiled, they are answered as graphql-js answers them. */
import fc from 'fast-check'
import { assertObjectType, buildSchema, execute, type GraphQLError, Kind, parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { fromGraphqlError, toMaskedError } from '../../../src/graphql/masked-errors.ts'
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
  return {
    data: JSON.stringify(data),
    errors: errors.map((error) => toMaskedError(error, fromGraphqlError(error, context)).toJSON()),
  }
}

/** Fields whose data are their arguments, as a resolver receives them. */
const asking = buildSchema(`
  type Query { ask(by: By, some: [By!], kind: Kind, size: Int): String inner(ids: [[ID]], by: By!): Inner }
  type Inner { ask(by: By!, ids: [ID!]): String }
  input By { id: ID! name: String = "x" kind: Kind! = sold list: [Int!] = [1, 2] lists: [[String]] all: [Also] }
  input Also { id: ID = 1 name: String! kinds: [Kind!] }
  enum Kind { sold pending }`)
for (const type of ['Query', 'Inner']) {
  for (const field of Object.values(assertObjectType(asking.getType(type)).getFields()))
    field.resolve = (_, args: object) => (field.name === 'ask' ? JSON.stringify(args) : {})
}

it.each([
  ['pets', schema],
  ['arguments', asking],
])('random queries are valid: %s', (_, of) => {
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const { query } = randomQuery(of, chooseBy(g))
      expect(validate(of, parse(query)), query).toEqual([])
    }),
    { seed, numRuns: 50 },
  )
})

it.each([
  ['pets', schema],
  ['arguments', asking],
])(`a compiled query has the data and the errors that graphql-js has: %s (SEED=${seed})`, async (_, of) => {
  const counts = { withErrors: 0, rejected: 0, withDirectives: 0, withInnerVariables: 0 }
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const { query, variables } = randomQuery(of, chooseBy(g))
      const document = parse(query)
      const queries = new CompiledQueries(of, { cost: 1_000_000 })
      for (let time = 0; time < 2; time += 1) queries.recordExecution(query, document)
      // Those with names that begin with __ are not compiled.
      fc.pre(queries.find(query) !== undefined)
      if (query.includes('@')) counts.withDirectives += 1
      if (/(?:[{[,] *|\w: (?=\$\w+[^)]*\}))\$/.test(query)) counts.withInnerVariables += 1

      const variableValues = JSON.parse(variables) as Record<string, unknown>
      const names = document.definitions.flatMap((node) =>
        node.kind === Kind.OPERATION_DEFINITION ? (node.variableDefinitions ?? []) : [],
      )
      const nulls = names.map(({ variable }) => ({ ...variableValues, [variable.name.value]: null }))
      for (const variables of [variableValues, {}, ...nulls]) {
        const contextValue = createContext(createPetDatabase())
        const expected = await execute({ schema: of, document, variableValues: variables, contextValue })
        const database = createPetDatabase()
        const found = await queries.answer({ query, variables }, 'POST', createContext(database))
        if (expected.errors) counts.withErrors += 1
        if (found === null) {
          // Left to graphql-js.
          if (expected.errors) counts.rejected += 1
          expect(database.statements, query).toEqual([])
        } else {
          expect(describeResult(found), `${query}\n${JSON.stringify(variables)}`).toEqual(
            describeResult(expected),
          )
        }
      }
    }),
    { seed, numRuns: 150 },
  )
  // There are some of each kind; how many is left to chance.
  for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBeGreaterThan(0)
})
