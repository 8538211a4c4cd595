/** Random values of random input types: what is wrong with one does not depend on how it is sent. */
import fc from 'fast-check'
import {
  buildSchema,
  getNullableType,
  getVariableValues,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  type OperationDefinitionNode,
  parse,
  validate,
  ValuesOfCorrectTypeRule,
} from 'graphql'
import { expect, it } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { checkLiterals, findInvalidVariables } from '../../../src/graphql/input-problems.ts'
import { chooseBy } from '../../support/random-documents.ts'
import { seed } from '../../support/seed.ts'

type Choose = ReturnType<typeof chooseBy>

const LEAVES: Record<string, readonly string[]> = {
  Int: ['1', '-2147483648'],
  Float: ['1', '1.5'],
  String: ['"x"', '""'],
  Boolean: ['true', 'false'],
  ID: ['1', '"x"'],
}
const OBJECTS = ['A', 'B', 'C']
const FIELDS = ['a', 'b', 'c']
/** Few places take one of these. */
const WRONG = ['null', '1', '1.5', '2147483648', '"x"', 'true', '[]', '[1,null]', '[[]]', '{}', '{"a":1}']

/** Three types, which may contain themselves and each other. */
function randomSchema(choose: Choose) {
  const wrap = (name: string): string =>
    choose('!', '', '[]', '[!]!', '[[!]]').replace(/^\[*/, (opening) => opening + name)
  const field = (name: string, later: readonly string[]) => {
    const type = wrap(choose(...Object.keys(LEAVES), 'Colour', ...later))
    // It is not required, then.
    return `${name}: ${type}${type === 'Int!' && choose(true, false) ? ' = 7' : ''}`
  }
  const types = OBJECTS.map((name, index) => {
    const fields = FIELDS.slice(0, choose(1, 2, 3)).map((of) => field(of, OBJECTS.slice(index + 1)))
    return `input ${name} { ${fields.join(' ')} self: ${name} list: [${choose(...OBJECTS)}!] }`
  })
  const type = wrap(choose('A', 'A', 'A', 'Int', 'Colour'))
  const text = `enum Colour { RED } ${types.join(' ')} type Query { f(v: ${type}): Int }`
  return { schema: buildSchema(text), type, text }
}

/** A value as JSON; some of it may be wrong. Names of an enum value are written as `"RED"`, and no other text is. */
function randomValue(choose: Choose, type: GraphQLInputType, depth = 3): string {
  if (choose(...Array<boolean>(11).fill(false), true)) return choose(...WRONG)
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const item = () => randomValue(choose, nullable.ofType, depth - 1)
    return choose(true, true, false) ? `[${Array.from({ length: choose(1, 0, 2) }, item).join()}]` : item()
  }
  if (isEnumType(nullable)) return choose('"RED"', '"RED"', '"LOST"')
  if (!isInputObjectType(nullable)) return choose(...(LEAVES[nullable.name] ?? []))
  if (depth <= 0) return 'null'
  const given = Object.values(nullable.getFields()).filter(() => choose(true, true, true, true, false))
  const fields = given.map((field) => `"${field.name}":${randomValue(choose, field.type, depth - 1)}`)
  if (choose(false, false, false, true)) fields.push(`"${choose('unknown', 'constructor', '__proto__')}":1`)
  return `{${fields.join()}}`
}

const toLiteral = (json: string) => json.replaceAll(/"(\w+)":/g, '$1:').replaceAll(/"(RED|LOST)"/g, '$1')

it(`a value has the same problems in a variable and in the document, and as many as graphql-js finds (SEED=${seed})`, () => {
  let [valid, several] = [0, 0]
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const choose = chooseBy(g)
      const { schema, type, text } = randomSchema(choose)
      const argument = schema.getQueryType()?.getFields().f?.args[0]
      if (!argument) throw new Error('There is no argument')
      const value = randomValue(choose, argument.type)
      const document = parse(`query ($v: ${type}) { f(v: $v) }`)
      const literal = parse(`{ f(v: ${toLiteral(value)}) }`)
      const variableValues = { v: JSON.parse(value) as unknown }

      const inVariable = [...findInvalidVariables({ schema, document, variableValues }, true)]
      const inLiteral = validate(schema, literal, [checkLiterals], { maxErrors: 1_000 })
      const described = [inVariable, inLiteral].map((errors) =>
        errors.map(({ cause }) =>
          cause instanceof ServiceError
            ? [cause.code, ...cause.problems.map((problem) => problem.argument)]
            : cause,
        ),
      )
      expect(described[0], `${text}\n${value}`).toEqual(described[1])
      expect(new Set(described[0]?.map(String)).size, `${text}\n${value}`).toBe(inVariable.length)

      const [operation] = document.definitions as OperationDefinitionNode[]
      const { errors: expected = [] } = getVariableValues(
        schema,
        operation?.variableDefinitions ?? [],
        variableValues,
      )
      expect(inVariable, `${text}\n${value}`).toHaveLength(expected.length)
      const expectedOfLiteral = validate(schema, literal, [ValuesOfCorrectTypeRule], { maxErrors: 1_000 })
      expect(inLiteral, `${text}\n${value}`).toHaveLength(expectedOfLiteral.length)
      if (inVariable.length === 0) valid += 1
      if (inVariable.length > 1) several += 1
    }),
    { seed, numRuns: 300 },
  )
  // There are enough of each kind.
  expect(valid).toBeGreaterThan(30)
  expect(several).toBeGreaterThan(30)
})
