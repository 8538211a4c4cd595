/** What is wrong with values in variables and in documents, one by one; input-problems.properties.test.ts has random ones. */
import { buildSchema, type GraphQLError, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { checkLiterals, findInvalidVariables } from '../../../src/graphql/input-problems.ts'

const schema = buildSchema(`
  directive @by(id: ID) on FIELD
  type Query { pets(filter: Filter, ids: [Int!], one: One): ID }
  input Filter { name: String! also: [Filter!] kind: Kind }
  input One @oneOf { id: ID filter: Filter }
  enum Kind { cat }`)
const query =
  'query ($filter: Filter, $ids: [Int!], $one: One) { pets(filter: $filter, ids: $ids, one: $one) }'

/** What is wrong, and what each error says of it. */
function describeErrors(errors: readonly GraphQLError[]) {
  return errors.map(({ message, cause, locations }) => {
    const { code, problems } = cause as ServiceError
    expect({ code, problems }).toMatchObject({ code: 'INVALID_VALUE', problems: [{ message }] })
    const [place] = locations ?? []
    return { argument: problems[0]?.argument, message, column: place?.column }
  })
}

function checkVariables(variableValues: Record<string, unknown>, text = query, hideSuggestions = false) {
  const args = { schema, document: parse(text), variableValues }
  return describeErrors([...findInvalidVariables(args, hideSuggestions)])
}

const checkDocument = (text: string, hideSuggestions = false) =>
  describeErrors(validate(schema, parse(text), [checkLiterals], { hideSuggestions }))

describe('an invalid value is named', () => {
  const INT = 'Int cannot represent non-integer value: "x"'
  const TEXT = 'String cannot represent a non string value: 5'
  it.each<[string, object, string, string, string, number]>([
    [
      'itself',
      { filter: 5 },
      '(filter: 5)',
      'filter',
      'Expected value of type "Filter" to be an object, found: 5.',
      16,
    ],
    ['by a field of it', { filter: { name: 5 } }, '(filter: {name: 5})', 'filter.name', TEXT, 23],
    ['by a missing field', { filter: {} }, '(filter: {})', 'filter.name', 'Filter.name is required.', 16],
    [
      'by an unknown field',
      { filter: { name: 'a', nam: 1 } },
      '(filter: {name: "a", nam: 1})',
      'filter.nam',
      'Filter has no field "nam".',
      33,
    ],
    ['by an item of it', { ids: [1, 'x'] }, '(ids: [1, "x"])', 'ids[1]', INT, 17],
    ['by what stands for a list of it', { ids: 'x' }, '(ids: "x")', 'ids', INT, 13],
    [
      'by a field of an item of a field',
      { filter: { name: 'a', also: [{ name: 5 }] } },
      '(filter: {name: "a", also: [{name: 5}]})',
      'filter.also[0].name',
      TEXT,
      42,
    ],
    [
      'by a field of what stands for a list of it',
      { filter: { name: 'a', also: {} } },
      '(filter: {name: "a", also: {}})',
      'filter.also.name',
      'Filter.name is required.',
      34,
    ],
    [
      'by a field of the only field that may be sent',
      { one: { filter: { name: 5 } } },
      '(one: {filter: {name: 5}})',
      'one.filter.name',
      TEXT,
      13,
    ],
    [
      'by the object of which only one field may be sent',
      { one: {} },
      '(one: {})',
      'one',
      'Within OneOf Input Object type "One", exactly one field must be specified, and the value for that field must be non-null.',
      13,
    ],
  ])('%s', (_, variables, literals, argument, message, column) => {
    expect(checkDocument(`{ pets${literals} }`)).toEqual([{ argument, message, column }])
    const [, variable = '', path = ''] = /^(\w+)(.*)/.exec(argument) ?? []
    const named = `Variable "$${variable}" has invalid value${path && ` at ${path}`}: ${message}`
    expect(checkVariables({ ...variables })).toMatchObject([{ argument, message: named }])
  })
})

it.each([
  ['missing', {}, 'Expected a value of non-null type "Int!" to be provided.'],
  ['null', { id: null }, 'Expected value of non-null type "Int!" not to be null.'],
])('a required variable that is %s is named', (_, variables, message) => {
  const text = 'query ($id: Int!) { pets(ids: [$id]) }'
  const named = `Variable "$id" has invalid value: ${message}`
  expect(checkVariables(variables, text)).toEqual([{ argument: 'id', message: named, column: 8 }])
})

it.each([
  ['a variable with a default', 'query ($id: Int! = 1) { pets(ids: [$id]) }', {}],
  ['a variable that may be null', 'query ($id: Int) { pets(ids: $id) }', {}],
  ['a variable that nothing declares', '{ pets }', { id: {} }],
])('%s need not be valid, or sent', (_, text, variables) =>
  expect(checkVariables(variables, text)).toEqual([]),
)

it.each([
  ['a default', 'query ($kind: Kind = dog) { pets }', 'kind', 22],
  ['an argument of a directive', '{ pets @by(id: 1.5) }', 'id', 16],
  ['what is beside a variable', 'query ($f: [Filter!]) { pets(filter: {also: $f}) }', 'filter.name', 38],
])('a literal is checked in %s', (_, text, argument, column) => {
  expect(checkDocument(text)).toMatchObject([{ argument, column }])
})

it('a name that was meant is suggested for an enum value, unless names of the schema are to be hidden', () => {
  const [shown, hidden] = [false, true].map((hide) => [
    ...checkVariables({ filter: { name: '', kind: 'cut' } }, query, hide),
    ...checkDocument('{ pets(filter: {name: "", kind: cut}) }', hide),
  ])
  for (const { message } of shown ?? []) expect(message).toMatch(/Did you mean .*"cat"/)
  for (const { message } of hidden ?? []) expect(message).not.toMatch(/Did you mean/)
  expect([shown?.length, hidden?.length]).toEqual([2, 2])
})
