/** Which documents are compiled, when, and what they share. */
import { buildSchema, execute, GraphQLError, Lexer, parse, validate } from 'graphql'
import { describe, expect, it, vi } from 'vitest'
import { Turns } from '../../../../src/base/turns.ts'
import { readConfig } from '../../../../src/config/config.ts'
import type { DocumentLimits } from '../../../../src/config/graphql-config.ts'
import { ArgumentLiterals } from '../../../../src/graphql/documents/document-arguments.ts'
import { DocumentSource } from '../../../../src/graphql/documents/document-source.ts'
import { Documents } from '../../../../src/graphql/documents/documents.ts'
import { executeOperation } from '../../../../src/graphql/documents/execution.ts'
import { RequestDocument } from '../../../../src/graphql/documents/request-document.ts'
import { RequestErrors } from '../../../../src/graphql/errors/request-errors.ts'
import { readVariables } from '../../../../src/graphql/variables/read-variables.ts'
import { schema } from '../../../../src/server/schema.ts'
import { createContext } from '../../support/context.ts'
import { createPetDatabase } from '../../support/pets.ts'

const { graphqlLimits } = readConfig({})
const createDocuments = (of = schema, limits: Partial<DocumentLimits> = {}) =>
  new Documents({ schema: of, limits: { ...graphqlLimits, aliases: 600, ...limits }, hidesNames: false })

/** @returns null if it is not known */
function find(documents: Documents, text: string): RequestDocument | null {
  return documents.find(new DocumentSource(text))
}

const prepare = (documents: Documents, text: string) => documents.prepare(new DocumentSource(text))

/** Finds a document, as for a request that executes it. */
function executeOnce(documents: Documents, text: string): RequestDocument {
  const document = find(documents, text) ?? prepare(documents, text)
  document.prepared.program.compileAtSecondRequest()
  return document
}

/** What is wrong with a document that is not valid. */
function errorsOf(documents: Documents, text: string): readonly GraphQLError[] {
  try {
    executeOnce(documents, text)
    return []
  } catch (error) {
    if (error instanceof RequestErrors) return error.errors
    throw error
  }
}

const isCompiled = ({ prepared }: RequestDocument) => prepared.program.isCompiled

/** Runs a document that has been compiled. @returns null if graphql-js has to */
function run(document: RequestDocument, variables: Record<string, unknown> = {}, of = schema) {
  const values = readVariables(
    { schema: of, hidesNames: false },
    document.selectOperation(undefined).node,
    variables,
  )
  return document.prepared.program.run(document.literals, values, createContext(createPetDatabase()))
}

describe('an error of a compiled document is at the same place as by graphql-js', () => {
  const placed = async (first: string, text: string, variables: Record<string, unknown> = {}) => {
    const documents = createDocuments()
    for (let time = 0; time < 2; time += 1) executeOnce(documents, first)
    const document = executeOnce(documents, text)
    const { errors: [found] = [] } = (await run(document, variables)) ?? {}
    const error = found && new GraphQLError(found.message, { path: found.path, ...document.placeOf(found) })
    const contextValue = createContext(createPetDatabase())
    const expected = await execute({ schema, document: parse(text), variableValues: variables, contextValue })
    expect(error?.toJSON()).toEqual(expected.errors?.[0]?.toJSON())
    expect(error?.locations).toHaveLength(1)
  }

  it('with any ends of lines', async () => {
    for (const end of ['\n', '\r', '\r\n', '\n\r\n']) {
      const query = ['query ($n: Int) {', '  a: __typename', '  pets(first: $n) { totalCount } }'].join(end)
      await placed(query, query, { n: 101 })
    }
  })

  it('after values that are longer or shorter than those with which it was compiled', async () => {
    const query = (id: string, first: string) =>
      `{ pet(id: ${id}) { id }\n a: __typename pets(filter: {namePrefix: "", categoryId: [${id}]}, first: ${first}) { totalCount } }`
    await placed(query('"1"', '1'), query('"100000"', '101'))
    await placed(query('"100000"', '10'), query('1', '2000'))
    await placed(query('"1"', '1'), query('"""\n  1"""', '101'))
  })
})

describe('documents that differ only in the values of their arguments are one document', () => {
  const shares = (first: string, second: string) => {
    const documents = createDocuments()
    executeOnce(documents, first)
    return isCompiled(executeOnce(documents, second))
  }

  it.each([
    ['texts', '{ pet(id: "1") { id } }', '{ pet(id: "22") { id } }'],
    ['a text and a number', '{ pet(id: "1") { id } }', '{ pet(id: 22) { id } }'],
    [
      'texts in blocks, with quotes and parentheses',
      '{ pets(filter: {namePrefix: "a"}) { totalCount } }',
      '{ pets(filter: {namePrefix: """b " (c: 1) """}) { totalCount } }',
    ],
    [
      'enum values and numbers in lists and objects',
      '{ pets(first: 1, filter: {status: [sold], categoryId: [1, 2]}) { totalCount } }',
      '{ pets(first: 2, filter: {status: [pending], categoryId: ["3", 4]}) { totalCount } }',
    ],
    [
      'values beside variables',
      'query ($s: PetStatus!) { pets(first: 1, filter: {status: [$s, sold]}) { totalCount } }',
      'query ($s: PetStatus!) { pets(first: 2, filter: {status: [$s, pending]}) { totalCount } }',
    ],
    ['values beside a field that comes twice', '{ pet(id: 1) { id id } }', '{ pet(id: 2) { id id } }'],
    [
      'values of mutations',
      'mutation { createPet(input: {name: "a", categoryId: 1, status: sold}) { id } }',
      'mutation { createPet(input: {name: "b", categoryId: "2", status: null}) { id } }',
    ],
    [
      'values of directives',
      '{ pet(id: 1) { id @skip(if: true) } }',
      '{ pet(id: 1) { id @skip(if: false) } }',
    ],
    [
      'values after a description with parentheses',
      'query ("(a: 1)" $s: PetStatus = sold) { pets(first: 1, filter: {status: [$s]}) { totalCount } }',
      'query ("(a: 1)" $s: PetStatus = sold) { pets(first: 2, filter: {status: [$s]}) { totalCount } }',
    ],
    [
      'values in fragments',
      '{ ...F } fragment F on Query { pet(id: 1) { id } }',
      '{ ...F } fragment F on Query { pet(id: 2) { id } }',
    ],
  ])('%s', (_, first, second) => expect(shares(first, second)).toBe(true))

  it.each([
    ['the names of arguments', '{ pets(first: 1) { totalCount } }', '{ pets(last: 1) { totalCount } }'],
    ['a variable', '{ pet(id: 1) { id } }', 'query ($i: ID!) { pet(id: $i) { id } }'],
    [
      'the length of a list',
      '{ pets(filter: {status: [sold]}) { totalCount } }',
      '{ pets(filter: {status: [sold, sold]}) { totalCount } }',
    ],
    [
      'the fields of an object',
      '{ pets(filter: {status: sold}) { totalCount } }',
      '{ pets(filter: {categoryId: 1}) { totalCount } }',
    ],
    [
      'the default of a variable',
      'query ($i: ID! = 1) { pet(id: $i) { id } }',
      'query ($i: ID! = 2) { pet(id: $i) { id } }',
    ],
    ['an alias', '{ a: pet(id: 1) { id } }', '{ b: pet(id: 1) { id } }'],
  ])('but not %s', (_, first, second) => expect(shares(first, second)).toBe(false))

  it('but not if two fields of one response key could no longer be merged', () => {
    const merged = (id: number) => `{ a: pet(id: 1) { id } a: pet(id: ${id}) { name } }`
    const documents = createDocuments()
    for (let time = 0; time < 2; time += 1) executeOnce(documents, merged(1))
    expect(isCompiled(executeOnce(documents, merged(1)))).toBe(true)
    expect(errorsOf(documents, merged(2))).toEqual(validate(schema, parse(merged(2))))
  })

  it('but not if an argument is where the lexer does not look for one', () => {
    const tagging = buildSchema('directive @tag(by: Int) on QUERY type Query { echo(by: Int): Int }')
    const documents = createDocuments(tagging)
    const tagged = (by: number) => `query @tag(by: 1) { echo(by: ${by}) }`
    executeOnce(documents, tagged(2))
    expect([find(documents, tagged(2)), find(documents, tagged(3))]).toEqual([expect.anything(), null])
  })

  it('but one with a value that is not valid has the errors of validation', () => {
    const documents = createDocuments()
    const text = (id: string) => `{ pet(id: ${id}) { id } }`
    for (let time = 0; time < 2; time += 1) executeOnce(documents, text('1'))
    for (const id of ['1.5', 'true', 'null', 'sold']) {
      const errors = errorsOf(documents, text(id))
      expect(errors.map(String)).toEqual(validate(schema, parse(text(id))).map(String))
      expect(errors).toHaveLength(1)
    }
  })

  it('even if a comment has the character that stands for values in a shape', () => {
    const [one, other] = ['{ pet(id: 1) { id } } #\0', '{ pet(id: 2) { id } } #\0']
    expect(shares(one, other)).toBe(true)
    const documents = createDocuments()
    executeOnce(documents, '{ pet(id: 1) { id } }')
    for (let time = 0; time < 2; time += 1) {
      expect(errorsOf(documents, '{ pet(id: \0) { id } }')).toHaveLength(1)
      expect(errorsOf(documents, '{ pet(id: 1) { id } }')).toEqual([])
    }
  })
})

describe('a document is kept', () => {
  const text = 'query Pet($id: ID!) { pet(id: $id) { name } }'
  const aliased = (index: number) => `{ a${index}: __typename }`

  it('and compiled when it is executed for the second time', () => {
    const documents = createDocuments()
    expect(find(documents, text)).toBeNull()
    expect(isCompiled(executeOnce(documents, text))).toBe(false)
    expect(documents.compiledCount).toBe(0)
    expect(isCompiled(executeOnce(documents, text))).toBe(true)
    expect(documents.compiledCount).toBe(1)
    expect(find(documents, text)?.prepared).toBe(executeOnce(documents, text).prepared)
  })

  it('and prepared once for requests that come at the same time', () => {
    const documents = createDocuments()
    const sources = ['1', '1', '2'].map((id) => new DocumentSource(`{ pet(id: "${id}") { id } }`))
    expect(sources.map((source) => documents.find(source))).toEqual([null, null, null])
    expect(new Set(sources.map((source) => documents.prepare(source).prepared)).size).toBe(1)
  })

  it('and found by its text without reading its tokens', () => {
    const documents = createDocuments()
    executeOnce(documents, text)
    const advance = vi.spyOn(Lexer.prototype, 'advance')
    expect(find(documents, text)).not.toBeNull()
    expect(advance).not.toHaveBeenCalled()
    find(documents, `${text} `)
    expect(advance).toHaveBeenCalled()
    advance.mockRestore()
  })

  it('with its errors', () => {
    const documents = createDocuments()
    for (const wrong of ['', '{', '{ colour }', '{ pet(id: 1.5) { id } }']) {
      const [first, second] = [errorsOf(documents, wrong), errorsOf(documents, wrong)]
      expect(first).not.toEqual([])
      expect(second).toBe(first)
    }
  })

  it('also if a client sends the text of its shape', () => {
    const documents = createDocuments()
    const text = '{ pet(id: "1") { id } }'
    const { prepared } = prepare(documents, text)
    expect(errorsOf(documents, new DocumentSource(text).shape ?? '')).not.toEqual([])
    expect(find(documents, text)?.prepared).toBe(prepared)
  })

  it('as long as those that came since have no more than 2^18 characters', () => {
    const documents = createDocuments()
    const long = (index: number) => `{ pet(id: 1) { a${index}: id } } # ${'x'.repeat(9_000)}`
    prepare(documents, long(0))
    for (let index = 1; index <= 28; index += 1) prepare(documents, long(index))
    expect(find(documents, long(0))).not.toBeNull()
    prepare(documents, long(29))
    prepare(documents, long(30))
    expect([find(documents, long(0)), find(documents, long(1))]).toEqual([expect.anything(), null])
  })

  it('but not one with more characters, also not for others of its shape', () => {
    const documents = createDocuments(schema, { length: 2 ** 19 })
    const long = (id: number) => `{ pet(id: ${id}) { id } } # ${'x'.repeat(2 ** 18)}`
    prepare(documents, long(1))
    expect([1, 2].map((id) => find(documents, long(id)) === null)).toEqual([true, true])
  })

  it('until 200 others have come since', () => {
    const documents = createDocuments()
    executeOnce(documents, text)
    for (let index = 0; index < 199; index += 1) prepare(documents, aliased(index))
    expect(find(documents, text)).not.toBeNull()
    prepare(documents, aliased(199))
    expect([find(documents, text), find(documents, aliased(0))]).toEqual([expect.anything(), null])
  })

  it('for others of its shape, which count as used', () => {
    const documents = createDocuments()
    const pet = (id: number) => `{ pet(id: "${id}") { id } }`
    const { prepared } = prepare(documents, pet(0))
    for (let index = 0; index < 199; index += 1) prepare(documents, aliased(index))
    expect(find(documents, pet(1))?.prepared).toBe(prepared)
    for (let index = 199; index < 398; index += 1) prepare(documents, aliased(index))
    expect(find(documents, pet(1))?.prepared).toBe(prepared)
    for (let index = 398; index < 598; index += 1) prepare(documents, aliased(index))
    expect([find(documents, pet(0)), find(documents, pet(1))]).toEqual([null, null])
  })

  it('but not one that is longer than the limit', () => {
    const documents = createDocuments()
    const long = `{ __typename } # ${'x'.repeat(graphqlLimits.length)}`
    expect(() => find(documents, long)).toThrow("The document's length is")
  })
})

it('an argument that is absent has its default', async () => {
  const echoing = buildSchema('type Query { echo(size: Int): Int }')
  const field = echoing.getQueryType()?.getFields().echo
  if (!field?.args[0]) return expect.unreachable('it has an argument')
  field.args[0].default = { value: 5 }
  field.resolve = (_, { size }: { size: number }) => size
  const query = 'query ($size: Int) { echo(size: $size) }'
  const documents = createDocuments(echoing)
  for (let time = 0; time < 2; time += 1) executeOnce(documents, query)
  expect(await run(executeOnce(documents, query), {}, echoing)).toEqual({ data: { echo: 5 } })
})

describe('an argument with a variable in it', () => {
  const echoing = buildSchema('type Query { echo(by: By): Int } input By { size: Int! = 1, other: Int }')
  const field = echoing.getQueryType()?.getFields().echo
  if (field)
    field.resolve = (_, { by }: { by: { size: number; other?: number } }) => by.size + (by.other ?? 0)
  const query = (other: number) => `query ($size: Int) { echo(by: {size: $size, other: ${other}}) }`
  const documents = createDocuments(echoing)
  for (let time = 0; time < 2; time += 1) executeOnce(documents, query(10))
  const ask = async (other: number, variables: Record<string, unknown>) =>
    run(executeOnce(documents, query(other)), variables, echoing)

  it('has the value of each request, or its default', async () => {
    const answers = [await ask(10, { size: 2 }), await ask(20, { size: 3 }), await ask(30, {})]
    expect(answers.map((answer) => answer?.data)).toEqual([{ echo: 12 }, { echo: 23 }, { echo: 31 }])
  })

  it('is left to graphql-js if the variable makes it invalid', async () => {
    expect(await ask(10, { size: null })).toBeNull()
  })
})

describe('a compiled document', () => {
  const query = 'query ($id: ID = "1") { pet(id: $id) { id } }'
  const settings = { schema, limits: graphqlLimits, hidesNames: false }
  const executeCompiled = async (variables: Record<string, unknown>) => {
    const documents = createDocuments()
    for (let time = 0; time < 2; time += 1) executeOnce(documents, query)
    const document = executeOnce(documents, query)
    const values = readVariables(settings, document.selectOperation(undefined).node, variables)
    const [turn, coerce] = [vi.spyOn(Turns.prototype, 'run'), vi.spyOn(ArgumentLiterals.prototype, 'coerce')]
    const { data } = await executeOperation(
      { params: { query, variables }, document, values },
      createContext(createPetDatabase()),
      { ...settings, turns: new Turns() },
    )
    return { data, turns: turn.mock.calls.length, coerced: coerce.mock.calls.length }
  }

  it('is executed at once', async () => {
    expect(await executeCompiled({})).toEqual({ data: { pet: { id: '1' } }, turns: 0, coerced: 1 })
  })

  it('is executed by graphql-js, in a turn, with a null instead of a default', async () => {
    expect(await executeCompiled({ id: null })).toEqual({ data: { pet: null }, turns: 1, coerced: 1 })
  })
})

it('the root fields of a document are those of its fragments, too, each once', () => {
  const text =
    '{ pet(id: 1) { id } ... { a: pets { totalCount } ...F } ...F } fragment F on Query { __typename pet(id: 1) { id } }'
  const { operations } = prepare(createDocuments(), text).prepared
  expect(operations.map(({ rootFields }) => rootFields)).toEqual([['pet', 'pets', '__typename']])
})

it('a document costs what its own values cost', () => {
  const documents = createDocuments()
  const cost = (first: number, more = '') => {
    const document = executeOnce(documents, `{ pets(first: ${first}) { nodes { id } } ${more} }`)
    return document.costOf(document.selectOperation(undefined))
  }
  expect([cost(1), cost(9), cost(1)]).toEqual([3, 19, 3])
  const more = 'b: petCounts { count } c: node(id: "1") { id }'
  expect(cost(1, more)).toBe(3 + 450 + 1 + 1 + 1)
})

// What overflows first depends on the machine: the plan of the cost here, parsing with the most levels.
it.each([2_000, 3_000, 50_000])(
  'a document of more levels than the stack has is not valid: %d inline fragments',
  (levels) => {
    const documents = createDocuments(schema, { length: 1_000_000, tokens: 1_000_000 })
    const text = `{ ${'... { '.repeat(levels)} __typename ${'} '.repeat(levels)} }`
    const messages = errorsOf(documents, text).map(({ message }) => message)
    const isPrepared = messages.length === 0 && levels < 50_000
    expect(messages).toEqual(isPrepared ? [] : ['The document is nested too deeply.'])
  },
)

it.each([
  ['B', 'There is no operation named "B".'],
  [undefined, 'Send operationName: the document has several operations.'],
])('a request has to name an operation of its document: %s', (operationName, message) => {
  const document = prepare(createDocuments(), 'query A { __typename } query C { __typename }')
  expect(() => document.selectOperation(operationName)).toThrow(new GraphQLError(message))
})
