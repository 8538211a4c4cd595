/** Random valid queries for a schema, with variables that may be invalid. */
import fc from 'fast-check'
import {
  GraphQLBoolean,
  GraphQLNonNull,
  getNullableType,
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
  String: {
    valid: ['"re"', '"aWQ6MQ"', '""', '"!"', '"\\u0000"', '"a__b"', '"\\"\\\\`${x}"'],
    invalid: ['1', '[]', 'true'],
  },
  Boolean: { valid: ['true', 'false'], invalid: ['1', '"true"', '[]'] },
  Upper: { valid: ['"a"', '"b c"'], invalid: ['1', '"A"'] },
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

/** A field with its alias and its arguments. */
interface Call {
  text: string
  field: string
  result: GraphQLNamedOutputType | undefined
}

class QueryMaker {
  readonly #schema: GraphQLSchema
  readonly #choose: Choose
  readonly #definitions = new Map<string, string>()
  readonly #variables = new Map<string, string>()
  readonly #fragments: string[] = []
  /** By response key. */
  readonly #calls = new Map<string, Call>()

  constructor(schema: GraphQLSchema, choose: Choose) {
    this.#schema = schema
    this.#choose = choose
  }

  make(type: GraphQLObjectType | null | undefined): RandomQuery {
    const selections = type ? this.#selections(type, 4) : ''
    const definitions = [...this.#definitions].map(
      ([name, definition]) => `${this.#description()}$${name}: ${definition}`,
    )
    const variables = definitions.length > 0 ? `(${definitions.join(', ')})` : ''
    const values = [...this.#variables].map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    const operation = `${this.#description()}query ${this.#choose('', 'Q')}${variables} ${selections}`
    const rest = this.#fragments
    return {
      query: (this.#isOneOf(2) ? [operation, ...rest] : [...rest, operation]).join('\n'),
      variables: `{${values.join()}}`,
    }
  }

  #description(): string {
    return this.#isOneOf(4) ? this.#choose('"Text" ', '"(a: 1) {" ', '"""\nb: 2) }\n""" ') : ''
  }

  /** True once in this many times, on average. */
  #isOneOf(times: number): boolean {
    return this.#choose(...Array<boolean>(times - 1).fill(false), true)
  }

  #some<Value>(make: () => Value, ...sizes: readonly number[]): Value[] {
    return Array.from({ length: this.#choose(...sizes) }, make)
  }

  #selections(type: GraphQLObjectType | GraphQLInterfaceType, depth: number): string {
    return `{ ${this.#some(() => this.#selection(type, depth), 1, 2, 3).join(' ')} }`
  }

  #selection(type: GraphQLObjectType | GraphQLInterfaceType, depth: number): string {
    const kind = this.#choose('field', 'field', 'field', 'field', 'typename', 'inline', 'fragment')
    if (kind === 'field') return this.#field(type, depth)
    if (kind === 'typename' || depth <= 1) return this.#call(type, '', '__typename', [], 1)
    const directive = this.#directive()
    if (kind === 'inline') {
      const isUntyped = this.#isOneOf(2)
      const inner = isUntyped ? type : this.#typeWithin(type)
      return `... ${isUntyped ? '' : `on ${inner.name} `}${directive}${this.#selections(inner, depth - 1)}`
    }
    const inner = this.#typeWithin(type)
    const selections = this.#selections(inner, depth - 1)
    const name = `F${this.#fragments.length}`
    this.#fragments.push(`fragment ${name} on ${inner.name} ${selections}`)
    return `...${name} ${directive}`
  }

  /** The type itself, or another that its objects may have. */
  #typeWithin(type: GraphQLObjectType | GraphQLInterfaceType): GraphQLObjectType | GraphQLInterfaceType {
    const others = isInterfaceType(type) ? this.#schema.getPossibleTypes(type) : type.getInterfaces()
    return this.#choose(type, ...others)
  }

  /** @param times one in how many there is one */
  #directive(times = 10): string {
    if (!this.#isOneOf(times)) return ''
    const type = new GraphQLNonNull(GraphQLBoolean)
    return `@${this.#choose('include', 'skip')}(if: ${this.#isOneOf(2) ? this.#variable(type) : this.#literal(type)}) `
  }

  #name(): string {
    return this.#isOneOf(20) ? this.#choose(...RESERVED_NAMES) : this.#choose(...NAMES)
  }

  #field(type: GraphQLObjectType | GraphQLInterfaceType, depth: number): string {
    const fields = Object.values(type.getFields())
    const leaves = fields.filter(({ type: of }) => isLeafType(getNamedType(of)))
    const field = this.#choose(...(depth > 1 || leaves.length === 0 ? fields : leaves))
    const alias = this.#isOneOf(3) ? this.#name() : ''
    return this.#call(type, alias, field.name, field.args, depth, getNamedType(field.type))
  }

  /** A field; of one response key there is but one, as validation demands. */
  #call(
    type: GraphQLObjectType | GraphQLInterfaceType,
    alias: string,
    field: string,
    args: readonly GraphQLArgument[],
    depth: number,
    result?: GraphQLNamedOutputType,
  ): string {
    const [object = type] = isInterfaceType(type) ? this.#schema.getPossibleTypes(type) : []
    const key = `${object.name}.${alias || field}`
    const text = `${alias && `${alias}: `}${field}`
    const call = this.#calls.get(key) ?? { text: text + this.#arguments(args), field, result }
    this.#calls.set(key, call)
    const selections =
      isObjectType(call.result) || isInterfaceType(call.result)
        ? ` ${this.#selections(call.result, depth - 1)}`
        : ''
    const selection = `${call.text} ${this.#directive(4)}${selections}`
    const isOfType = call.field === '__typename' || call.field in type.getFields()
    return isOfType ? selection : `... on ${object.name} { ${selection} }`
  }

  #arguments(all: readonly GraphQLArgument[]): string {
    const chosen = all.filter(({ type }) => isNonNullType(type) || this.#isOneOf(3))
    const list = chosen.map(
      ({ name, type }) => `${name}: ${this.#isOneOf(2) ? this.#variable(type) : this.#literal(type)}`,
    )
    return list.length > 0 ? `(${list.join(', ')})` : ''
  }

  /** A variable for a place of this type: a new one, or one that is there already. */
  #variable(type: GraphQLInputType): string {
    const name = this.#name()
    const known = this.#definitions.get(name)
    if (known?.startsWith(`${type.toString()} `)) return `$${name}`
    const fresh = known === undefined ? name : `${name}${this.#definitions.size}`
    // A variable that may be null fits a place that may not, if it has a default.
    const needsDefault = isNonNullType(type) && this.#isOneOf(3)
    const declared = needsDefault ? getNullableType(type) : type
    const mayBeNull = !needsDefault && !isNonNullType(type)
    const value = mayBeNull && this.#isOneOf(5) ? 'null' : this.#literal(declared, false)
    const hasDefault = needsDefault || this.#isOneOf(2)
    this.#definitions.set(fresh, `${declared.toString()} ${hasDefault ? `= ${value}` : ''}`)
    if (!this.#isOneOf(3)) this.#variables.set(fresh, this.#json(type))
    return `$${fresh}`
  }

  /** @param mayVary whether there may be variables inside */
  #literal(type: GraphQLInputType, mayVary = true): string {
    // Of JSON, only the names of fields and enum values have quotes that literals have not.
    return this.#valid(type, mayVary).replaceAll(/"(\w+)":/g, '$1: ')
  }

  #valid(type: GraphQLInputType, mayVary: boolean): string {
    const part = (of: GraphQLInputType) =>
      mayVary && this.#isOneOf(4) ? this.#variable(of) : this.#valid(of, mayVary)
    if (isNonNullType(type)) return this.#valid(type.ofType, mayVary)
    if (isListType(type)) return `[${this.#some(() => part(type.ofType), 1, 0, 2).join(', ')}]`
    if (isEnumType(type)) return this.#choose(...type.getValues()).name
    if (!isInputObjectType(type)) return this.#choose(...(LEAVES[type.name]?.valid ?? ['null']))
    const chosen = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || this.#isOneOf(2),
    )
    return `{${chosen.map(({ name, type: of }) => `"${name}":${part(of)}`).join(', ')}}`
  }

  /** A value for a variable, which may be invalid. */
  #json(type: GraphQLInputType): string {
    if (this.#isOneOf(20)) return this.#choose('null', '[]', '{"a":1}')
    if (isNonNullType(type)) return this.#json(type.ofType)
    if (isListType(type)) return `[${this.#some(() => this.#json(type.ofType), 1, 0, 2).join()}]`
    if (isEnumType(type))
      return JSON.stringify(this.#choose(...type.getValues().map(({ name }) => name), 'lost'))
    if (isInputObjectType(type)) {
      const chosen = Object.values(type.getFields()).filter(() => !this.#isOneOf(8))
      return `{${chosen.map(({ name, type: of }) => `"${name}":${this.#json(of)}`).join()}}`
    }
    const { valid = ['null'], invalid = ['null'] } = LEAVES[type.name] ?? {}
    return this.#choose(...valid, ...valid, this.#choose(...invalid))
  }
}
