/** What is wrong with variables, on a schema that has each kind of type. */
import { buildSchema, isInputType, type OperationDefinitionNode, parse, validateInputValue } from 'graphql'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../../src/base/error-catalogue.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { RequestErrors } from '../../../../src/graphql/errors/request-errors.ts'
import { readVariables } from '../../../../src/graphql/variables/read-variables.ts'
import { ProblemFinder } from '../../../../src/graphql/variables/variable-problems.ts'
import { seed } from '../../../support/seed.ts'

const schema = buildSchema(`
  enum Color { RED BLUE }
  input Part { name: String! size: Int }
  input Choice @oneOf { id: ID name: String part: Part }
  input Item { grid: [[Int!]!] count: Int! = 1 part: Part parts: [Part!] choice: Choice color: Color weight: Float }
  type Query { field(item: Item, items: [Item!], grid: [[Int!]!], choice: Choice, count: Int!): Int }
`)

/** @returns the problems of the only error; an empty list: there is no error */
function findProblems(definitions: string, variables: Record<string, unknown>, hidesNames = false) {
  const { definitions: nodes } = parse(`query (${definitions}) { field }`)
  try {
    readVariables({ schema, hidesNames }, nodes[0] as OperationDefinitionNode, variables)
    return []
  } catch (error) {
    if (!(error instanceof RequestErrors)) throw error
    expect(error.errors).toHaveLength(1)
    const { cause } = error.errors[0] ?? {}
    expect(cause).toBeInstanceOf(ServiceError)
    expect(cause).toMatchObject({ code: 'INVALID_VALUE' })
    return (cause as ServiceError).problems
  }
}

const argumentsOf = (problems: readonly Problem[]) => problems.map(({ argument }) => argument)

describe('what is wrong is named by its path', () => {
  it.each<[string, string, Record<string, unknown>, string[]]>([
    ['nothing', '$item: Item', { item: { grid: [[1, 2], []], part: { name: 'a' } } }, []],
    [
      'an item of a list in a list',
      '$grid: [[Int!]!]',
      { grid: [[1], ['a', 2, 1.5]] },
      ['grid[1][0]', 'grid[1][2]'],
    ],
    ['a list in a list that is null', '$grid: [[Int!]!]', { grid: [null] }, ['grid[0]']],
    ['a value in place of a list of lists', '$grid: [[Int!]!]', { grid: 'a' }, ['grid']],
    ['a null', '$count: Int!', { count: null }, ['count']],
    ['an absent variable', '$count: Int!', {}, ['count']],
    ['no variable with a default', '$count: Int! = 3', {}, []],
    ['a null in place of a default', '$count: Int! = 3', { count: null }, ['count']],
    ['a null in place of the default of a field', '$item: Item', { item: { count: null } }, ['item.count']],
    ['no field with a default', '$item: Item!', { item: {} }, []],
    ['a field of an object in an object', '$item: Item', { item: { part: { name: 1 } } }, ['item.part.name']],
    ['an absent field', '$items: [Item!]', { items: [{ parts: [{}] }] }, ['items[0].parts[0].name']],
    ['an unknown field', '$item: Item', { item: { part: { name: 'a', b: 1 } } }, ['item.part.b']],
    ['a list in place of an object', '$item: Item', { item: { part: [] } }, ['item.part']],
    ['a value of an enumeration', '$item: Item', { item: { color: 'red' } }, ['item.color']],
    ['one of several fields', '$choice: Choice', { choice: { id: 1, name: 'a' } }, ['choice']],
    ['none of several fields', '$item: Item', { item: { choice: {} } }, ['item.choice']],
    ['one of several fields that is null', '$choice: Choice', { choice: { id: null } }, ['choice']],
    ['no one of several fields', '$choice: Choice', { choice: { part: { name: 'a' } } }, []],
    ['the one of several fields', '$choice: Choice', { choice: { part: {} } }, ['choice.part.name']],
    [
      'several, in the order of the definitions and of the fields',
      '$count: Int!, $choice: Choice, $item: Item',
      { item: { weight: 'a', choice: {} }, choice: {} },
      ['count', 'choice', 'item.choice', 'item.weight'],
    ],
  ])('%s', (_, definitions, variables, paths) => {
    expect(argumentsOf(findProblems(definitions, variables))).toEqual(paths)
  })
})

it.each([false, true])(
  'the fields of which one must be sent are names of the schema (hidden: %s)',
  (hidesNames) => {
    const [problem] = findProblems('$choice: Choice', { choice: {} }, hidesNames)
    expect(problem?.message.includes('id, name, part')).toBe(!hidesNames)
  },
)

it(`there are words for exactly what graphql-js finds (SEED=${seed})`, () => {
  const names = ['grid', 'count', 'part', 'parts', 'choice', 'color', 'weight', 'id', 'name', 'size', 'other']
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, 1.5, -0, 2 ** 31, 'a', 'RED', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
    ),
  }))
  const counts = { valid: 0, invalid: 0 }
  fc.assert(
    fc.property(fc.constantFrom('Item', 'Part', 'Choice', 'Color'), value, (name, value) => {
      const type = schema.getType(name)
      if (!isInputType(type)) throw new Error(`${name} is no input type`)
      const errors: unknown[] = []
      validateInputValue(value, type, (error) => errors.push(error))
      const isValid = errors.length === 0
      expect(new ProblemFinder(false).visit(type, { key: 'key', value, parent: null })).toBe(!isValid)
      counts[isValid ? 'valid' : 'invalid'] += 1
    }),
    { seed, numRuns: 3_000 },
  )
  expect(counts.valid).toBeGreaterThan(100)
  expect(counts.invalid).toBeGreaterThan(100)
})
