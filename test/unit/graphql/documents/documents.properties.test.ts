/** Random queries: compiled from another document of the same shape, they are answered as graphql-js answers them. */
import fc from 'fast-check'
import {
  assertEnumType,
  assertObjectType,
  assertScalarType,
  buildSchema,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
} from 'graphql'
import { expect, it } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { Turns } from '../../../../src/base/turns.ts'
import { readConfig } from '../../../../src/config/config.ts'
import { answer } from '../../../../src/graphql/answer.ts'
import type { GraphqlService } from '../../../../src/graphql/graphql-service.ts'
import { DocumentSource } from '../../../../src/graphql/documents/document-source.ts'
import { Documents } from '../../../../src/graphql/documents/documents.ts'
import { Subscriptions } from '../../../../src/graphql/live/subscriptions.ts'
import { schema } from '../../../../src/server/schema.ts'
import { createContext } from '../../support/context.ts'
import { createPetDatabase } from '../../support/pets.ts'
import { byGraphqlJs, watchCompiled } from '../../../support/compiled-documents.ts'
import { chooseBy, randomQuery } from '../../../support/random-documents.ts'
import { seed } from '../../../support/seed.ts'

/** Fields whose data are their arguments, as a resolver receives them; it rejects one value of the enumeration. */
const asking = buildSchema(`
  type Query { ask(by: By, some: [By!], kind: Kind, size: Int, all: Int! = 5): String inner(ids: [[ID]], by: By!): Inner }
  type Inner { ask(by: By!, ids: [ID!]): String }
  input By { id: ID! name: String = "x" kind: Kind! = sold list: [Int!] = [1, 2] lists: [[String]] all: [Also] }
  input Also { id: ID = 1 name: String! kinds: [Kind!] upper: Upper }
  scalar Upper
  enum Kind { sold pending lost }`)
// What resolvers receive is not what clients send.
const lost = assertEnumType(asking.getType('Kind')).getValue('lost')
if (lost) lost.value = { of: 'lost' }
const upper = assertScalarType(asking.getType('Upper'))
upper.coerceInputValue = toUpper
upper.coerceInputLiteral = (node) => toUpper('value' in node ? node.value : null)
for (const type of ['Query', 'Inner']) {
  for (const field of Object.values(assertObjectType(asking.getType(type)).getFields()))
    field.resolve = (_, args: object) => {
      const text = JSON.stringify(args)
      if (text.includes('pending')) throw new ServiceError('INVALID_VALUE')
      return field.name === 'ask' ? text : {}
    }
}

function toUpper(value: unknown): string {
  if (typeof value === 'string' && value !== value.toUpperCase()) return value.toUpperCase()
  throw new GraphQLError('It must be in lower case')
}

const schemas = [
  ['pets', schema],
  ['arguments', asking],
] as const

it.each(schemas)('random queries are valid: %s', (_, of) => {
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const { query } = randomQuery(of, chooseBy(g))
      expect(validate(of, parse(query)), query).toEqual([])
    }),
    { seed, numRuns: 50 },
  )
})

/** Leaves of each kind. */
const LEAVES: Record<string, readonly string[]> = {
  [Kind.INT]: ['1', '-7', '101', '2147483648', '9223372036854775807', '9223372036854775808'],
  [Kind.STRING]: ['"1"', '"re"', '""', '"x\\u0041\\"(y: 1)"', '"""b\n  "c" \\""""""', '"\\u0000"'],
  [Kind.ENUM]: ['sold', 'pending', 'lost', 'ASC', 'NAME'],
  others: ['true', 'false', 'null', '1.5', '-1e3'],
}

/** A text of the same shape with other leaves, most of the same kinds. */
function replaceLeaves(text: string, choose: ReturnType<typeof chooseBy>): string {
  const { leaves } = new DocumentSource(text)
  return leaves.toReversed().reduce((changed, { node, start, end }) => {
    const ofKind = LEAVES[node.kind] ?? []
    const isOther = choose(false, false, false, false, false, true)
    const leaf = choose(text.slice(start, end), ...(isOther ? Object.values(LEAVES).flat() : ofKind))
    return changed.slice(0, start) + leaf + changed.slice(end)
  }, text)
}

/** What a client sees of an answer, and what is recorded of it. */
async function ask(service: GraphqlService, query: string, variables: Record<string, unknown>) {
  const context = createContext(createPetDatabase())
  const request = {
    method: 'POST',
    url: '/graphql',
    body: JSON.stringify({ query, variables }),
    accepted: [],
  }
  const result = await answer(request, context, service)
  return { result: JSON.stringify(result), outcome: context.outcome }
}

it(`a query that is compiled from another one of its shape is answered as by graphql-js (SEED=${seed})`, async () => {
  const counts = { shared: 0, withErrors: 0, invalid: 0, withDirectives: 0, withInnerVariables: 0 }
  const limits = { ...readConfig({}).graphqlLimits, cost: 1_000_000 }
  const createService = (of: GraphQLSchema) => ({
    schema: of,
    limits,
    trusted: { documents: new Map<string, string>(), only: false },
    hidesNames: false,
    documents: new Documents({ schema: of, limits, hidesNames: false }),
    subscriptions: new Subscriptions(),
    turns: new Turns(),
  })
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const choose = chooseBy(g)
      const of = choose(schema, asking)
      const { query, variables } = randomQuery(of, choose)
      const values = JSON.parse(variables) as Record<string, unknown>
      const names = parse(query).definitions.flatMap((node) =>
        node.kind === Kind.OPERATION_DEFINITION ? (node.variableDefinitions ?? []) : [],
      )
      const service = createService(of)
      const { program } = service.documents.prepare(new DocumentSource(query)).prepared
      for (let time = 0; time < 2; time += 1) program.compileAtSecondRequest()
      const nulls = names.map(({ variable }) => ({ ...values, [variable.name.value]: null }))
      for (const text of [query, replaceLeaves(query, choose), replaceLeaves(query, choose)]) {
        // It knows no other text, so this one is validated by itself.
        const plain = createService(of)
        for (const sent of [values, {}, ...nulls]) {
          const { answer: found, isCompiled } = await watchCompiled(() => ask(service, text, sent))
          const expected = await byGraphqlJs(() => ask(plain, text, sent))
          expect(found, `${text}\n${JSON.stringify(sent)}\nfrom ${query}`).toEqual(expected)
          if (isCompiled && text !== query) counts.shared += 1
          if (isCompiled && text.includes('@')) counts.withDirectives += 1
          if (isCompiled && /(?:[{[,] *|\w: (?=\$\w+[^)]*\}))\$/.test(text)) counts.withInnerVariables += 1
          if (found.outcome.errorCodes) counts[isCompiled ? 'withErrors' : 'invalid'] += 1
        }
      }
    }),
    { seed, numRuns: 200 },
  )
  // There are some of each kind; how many is left to chance.
  for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBeGreaterThan(0)
})
