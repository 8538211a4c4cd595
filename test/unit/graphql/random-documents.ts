/** Random valid queries for a schema, with variables that may be invalid. */
import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

export interface RandomQuery {
  query: string
  /** As JSON, so that any name is one. */
  variables: string
}

/** Chooses one of some values; the first is the simplest. */
type Choose = <Value>(...values: readonly Value[]) => Value

/** Some that a compiler may take for something else; those of the second kind must not be compiled at all. */
const NAMES = ['a', 'b', 'id', 'constructor', 'toString', 'valueOf', '__typename']
const RESERVED_NAMES = ['__proto__', '__x']

/** JSON values for the leaf types, both valid and invalid. */
const LEAVES: Record<string, { valid: readonly string[]; invalid: readonly string[] }> = {
  Int: { valid: ['1', '2', '100', '0', '-1', '101'], invalid: ['"1"', '1.5', 'true', '2147483648'] },
  ID: { valid: ['"1"', '2', '"3"', '"x"', '""', '"9223372036854775808"'], invalid: ['1.5', 'true', '{}'] },
  Int64: { valid: ['"7"', '8', '"-9223372036854775808"'], invalid: ['"x"', '1.5', '"9223372036854775808"'] },
  String: { valid: ['"re"', '"aWQ6MQ"', '""', '"!"', '"\\u0000"'], invalid: ['1', '[]', 'true'] },
}

/** @param choose makes all decisions, so that a failure can be shrunk */
export function randomQuery(schema: GraphQLSchema, choose: Choose): RandomQuery {
  return new QueryMaker(schema, choose).make(schema.getQueryType())
}

const indexUpTo = (max: number) => fc.noBias(fc.nat(max))

/** Lets fast-check make the decisions, so that it can find the simplest ones that make a test fail. */
export function chooseBy(g: fc.GeneratorValue): Choose {
  return <Value>(...values: readonly Value[]) => {
    const value = values[g(indexUpTo, values.length - 1)]
    if (value === undefined) throw new Error('There is nothing to choose from')
    return value
  }
}

class QueryMaker {
  readonly #schema: GraphQLSchema
  readonly #choose: Choose
  readonly #definitions = new Map<string, string>()
  readonly #variables = new Map<string, string>()
  readonly #fragments: string[] = []
  /** By response key. */
  readonly #calls = new Map<string, { text: string; result: GraphQLNamedOutputType | undefined }>()

  constructor(schema: GraphQLSchema, choose: Choose) {
    this.#schema = schema
    this.#choose = choose
  }

  make(type: GraphQLObjectType | null | undefined): RandomQuery {
    const selections = type ? this.#selections(type, 4) : ''
    const definitions = [...this.#definitions].map(([name, definition]) => `$${name}: ${definition}`)
    const variables = definitions.length > 0 ? `(${definitions.join(', ')})` : ''
    const values = [...this.#variables].map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    return {
      query: [`query ${this.#choose('', 'Q')}${variables} ${selections}`, ...this.#fragments].join('\n'),
      variables: `{${values.join()}}`,
    }
  }

  /** True once in this many times, on average. */
  #isOneOf(times: number): boolean {
    return this.#choose(...Array<boolean>(times - 1).fill(false), true)
  }

  #some<Value>(make: () => Value, ...sizes: readonly number[]): Value[] {
    return Array.from({ length: this.#choose(...sizes) }, make)
  }

  #selections(type: GraphQLObjectType | GraphQLInterfaceType, depth: number): string {
    if (isInterfaceType(type)) {
      // Not its own fields, which the object's aliases would conflict with.
      const inner = this.#choose(...this.#schema.getPossibleTypes(type))
      return `{ ... on ${inner.name} ${this.#selections(inner, depth)} }`
    }
    return `{ ${this.#some(() => this.#selection(type, depth), 1, 2, 3).join(' ')} }`
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    const kind = this.#choose('field', 'field', 'field', 'field', 'typename', 'inline', 'fragment')
    if (kind === 'field') return this.#field(type, depth)
    if (kind === 'typename' || depth <= 1) return this.#call(type, '__typename', [], 1)
    const selections = this.#selections(type, depth - 1)
    if (kind === 'inline') return `... ${this.#choose(`on ${type.name} `, '')}${selections}`
    const name = `F${this.#fragments.length}`
    this.#fragments.push(`fragment ${name} on ${type.name} ${selections}`)
    return `...${name}`
  }

  #name(): string {
    return this.#isOneOf(20) ? this.#choose(...RESERVED_NAMES) : this.#choose(...NAMES)
  }

  #field(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields())
    const leaves = fields.filter(({ type: of }) => isLeafType(getNamedType(of)))
    const field = this.#choose(...(depth > 1 || leaves.length === 0 ? fields : leaves))
    const alias = this.#isOneOf(3) ? `${this.#name()}: ` : ''
    return this.#call(type, `${alias}${field.name}`, field.args, depth, getNamedType(field.type))
  }

  /** A field; of one response key there is but one, as validation demands. */
  #call(
    type: GraphQLObjectType,
    name: string,
    args: readonly GraphQLArgument[],
    depth: number,
    result?: GraphQLNamedOutputType,
  ): string {
    const key = `${type.name}.${name.replace(/:.*/, '')}`
    const call = this.#calls.get(key) ?? { text: `${name}${this.#arguments(args)}`, result }
    this.#calls.set(key, call)
    const { text, result: of } = call
    return isObjectType(of) || isInterfaceType(of) ? `${text} ${this.#selections(of, depth - 1)}` : text
  }

  #arguments(all: readonly GraphQLArgument[]): string {
    const given = all.filter(({ type }) => isNonNullType(type) || this.#isOneOf(3))
    const list = given.map(
      ({ name, type }) => `${name}: ${this.#isOneOf(2) ? this.#variable(type) : this.#literal(type)}`,
    )
    return list.length > 0 ? `(${list.join(', ')})` : ''
  }

  /** A variable of this type: a new one, or one that is there already. */
  #variable(type: GraphQLInputType): string {
    const name = this.#name()
    const known = this.#definitions.get(name)
    if (known?.startsWith(`${type.toString()} `)) return `$${name}`
    const fresh = known === undefined ? name : `${name}${this.#definitions.size}`
    const value = isNonNullType(type) || !this.#isOneOf(5) ? this.#literal(type) : 'null'
    this.#definitions.set(fresh, `${type.toString()} ${this.#isOneOf(2) ? `= ${value}` : ''}`)
    if (!this.#isOneOf(3)) this.#variables.set(fresh, this.#json(type))
    return `$${fresh}`
  }

  #literal(type: GraphQLInputType): string {
    // Of JSON, only the names of fields and enum values have quotes that literals have not.
    return this.#valid(type).replaceAll(/"(\w+)":/g, '$1: ')
  }

  #valid(type: GraphQLInputType): string {
    if (isNonNullType(type)) return this.#valid(type.ofType)
    if (isListType(type)) return `[${this.#some(() => this.#valid(type.ofType), 1, 0, 2).join(', ')}]`
    if (isEnumType(type)) return this.#choose(...type.getValues()).name
    if (!isInputObjectType(type)) return this.#choose(...(LEAVES[type.name]?.valid ?? ['null']))
    const given = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || this.#isOneOf(2),
    )
    return `{${given.map(({ name, type: of }) => `"${name}":${this.#valid(of)}`).join(', ')}}`
  }

  /** A value for a variable, which may be invalid. */
  #json(type: GraphQLInputType): string {
    if (this.#isOneOf(20)) return this.#choose('null', '[]', '{"a":1}')
    if (isNonNullType(type)) return this.#json(type.ofType)
    if (isListType(type)) return `[${this.#some(() => this.#json(type.ofType), 1, 0, 2).join()}]`
    if (isEnumType(type))
      return JSON.stringify(this.#choose(...type.getValues().map(({ name }) => name), 'lost'))
    if (isInputObjectType(type)) {
      const given = Object.values(type.getFields()).filter(() => !this.#isOneOf(8))
      return `{${given.map(({ name, type: of }) => `"${name}":${this.#json(of)}`).join()}}`
    }
    const { valid = ['null'], invalid = ['null'] } = LEAVES[type.name] ?? {}
    return this.#choose(...valid, ...valid, this.#choose(...invalid))
  }
}
