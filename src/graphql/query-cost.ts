/** What an operation costs, and its other limited measures: depth, fields, aliases, directives, text. */
import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import type { ArgumentValues, FieldCost } from './schema/field-cost.ts'

/** The size of an operation and its cost, with its fragments expanded. */
export interface Measures {
  /** Levels of nested fields. */
  depth: number
  fields: number
  aliases: number
  directives: number
  /** The sum of the fields' declared costs. */
  cost: number
  /** The characters of an answer with full pages and the shortest values: clients choose the names of fields, which are repeated per item. */
  text: number
}

/** The characters of `"":1,`. */
const PUNCTUATION = 5

export const NOTHING: Measures = { depth: 0, fields: 0, aliases: 0, directives: 0, cost: 0, text: 0 }

/** @param variables as sent by the client; a missing one counts as its default */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Measures {
  return createMeasure(schema, document, operation)(variables)
}

/** The same for an operation that is executed many times: what depends on no variable is measured once. */
export function createMeasure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => Measures {
  const type = schema.getRootType(operation.operation) ?? undefined
  const defaults = readDefaults(operation)
  const part = new Measurer(schema, document).measure(operation, type)
  return (variables) => ofPageSize(1, resolvePart(part, { variables, defaults, fragments: new Map() }))
}

type Type = GraphQLNamedType | undefined
type Variables = Readonly<Record<string, unknown>>
type Selecting = OperationDefinitionNode | FragmentDefinitionNode | FieldNode | InlineFragmentNode

/** What a part of a document measures, by itself and in addition for each item of the page that it is part of. */
interface PartMeasures extends Measures {
  costPerItem: number
  textPerItem: number
}

/** Known at once, or only with the variables. */
type Part = PartMeasures | ((request: MeasuredRequest) => PartMeasures)

interface MeasuredRequest {
  variables: Variables
  defaults: ReadonlyMap<string, unknown>
  /** Each fragment is measured once, since fragments that double would take exponential time. */
  fragments: Map<string, PartMeasures>
}

const EMPTY: PartMeasures = { ...NOTHING, costPerItem: 0, textPerItem: 0 }

class Measurer {
  readonly #schema: GraphQLSchema
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #measuredFragments = new Map<string, Part>()

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode) {
    const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
    this.#schema = schema
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
  }

  /** What a node selects, with its directives. @param type of what is selected from; undefined if the document is invalid */
  measure({ selectionSet, directives = [] }: Selecting, type: Type): Part {
    const parts = selectionSet?.selections.map((selection) => this.#measureSelection(selection, type)) ?? []
    return sum([{ ...EMPTY, directives: directives.length }, ...parts])
  }

  #measureSelection(selection: SelectionNode, type: Type): Part {
    if (selection.kind === Kind.FIELD) return this.#measureField(selection, type)
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.#measureFragment(selection, type)
    const spread = { ...EMPTY, directives: selection.directives?.length ?? 0 }
    return sum([spread, this.#measureNamed(selection.name.value)])
  }

  #measureField(field: FieldNode, type: Type): Part {
    const definition = isCompositeType(type) ? this.#schema.getField(type, field.name.value) : undefined
    const cost: FieldCost = definition?.extensions.cost ?? {}
    const inner = this.measure(field, definition && getNamedType(definition.type))
    const dependsOnArguments = typeof cost.own === 'function' || cost.pageSize !== undefined
    const given = dependsOnArguments ? (field.arguments ?? []) : []
    return typeof inner === 'function' || given.some(({ value }) => hasVariable(value))
      ? (request) => addField(field, cost, readArguments(given, request), resolvePart(inner, request))
      : addField(field, cost, readArguments(given, NO_REQUEST), inner)
  }

  #measureFragment(fragment: FragmentDefinitionNode | InlineFragmentNode, type: Type): Part {
    const condition = fragment.typeCondition
    return this.measure(fragment, condition ? this.#schema.getType(condition.name.value) : type)
  }

  #measureNamed(name: string): Part {
    const known = this.#measuredFragments.get(name)
    if (known) return known
    // Another rule rejects a fragment that contains itself; here the recursion only has to end.
    this.#measuredFragments.set(name, EMPTY)
    const fragment = this.#fragments.get(name)
    const part = onceARequest(name, fragment ? this.#measureFragment(fragment, undefined) : EMPTY)
    this.#measuredFragments.set(name, part)
    return part
  }
}

const NO_REQUEST: MeasuredRequest = { variables: {}, defaults: new Map(), fragments: new Map() }

function resolvePart(part: Part, request: MeasuredRequest): PartMeasures {
  return typeof part === 'function' ? part(request) : part
}

function onceARequest(name: string, part: Part): Part {
  if (typeof part !== 'function') return part
  return (request) => {
    const measures = request.fragments.get(name) ?? part(request)
    request.fragments.set(name, measures)
    return measures
  }
}

function sum(parts: Part[]): Part {
  const known = parts.filter((part) => typeof part !== 'function').reduce(add, EMPTY)
  const others = parts.filter((part) => typeof part === 'function')
  if (others.length === 0) return known
  return (request) => others.reduce((measures, part) => add(measures, part(request)), known)
}

function add(one: PartMeasures, other: PartMeasures): PartMeasures {
  return {
    depth: Math.max(one.depth, other.depth),
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
    cost: one.cost + other.cost,
    costPerItem: one.costPerItem + other.costPerItem,
    text: one.text + other.text,
    textPerItem: one.textPerItem + other.textPerItem,
  }
}

/** @param inner what the field's selection measures */
function addField(
  field: FieldNode,
  cost: FieldCost,
  args: ArgumentValues,
  inner: PartMeasures,
): PartMeasures {
  const own = typeof cost.own === 'function' ? cost.own(args) : (cost.own ?? 1)
  const { value: name } = field.alias ?? field.name
  const { pageSize } = cost
  const below = pageSize ? ofPageSize(pageSize(args), inner) : cost.perItem ? perItem(inner) : inner
  return {
    ...below,
    depth: below.depth + 1,
    fields: below.fields + 1,
    aliases: below.aliases + (field.alias ? 1 : 0),
    cost: own + below.cost,
    text: name.length + PUNCTUATION + below.text,
  }
}

function ofPageSize(size: number, part: PartMeasures): PartMeasures {
  return {
    ...part,
    cost: part.cost + part.costPerItem * size,
    costPerItem: 0,
    text: part.text + part.textPerItem * size,
    textPerItem: 0,
  }
}

function perItem(part: PartMeasures): PartMeasures {
  const { cost, text } = ofPageSize(1, part)
  return { ...part, cost: 0, costPerItem: cost, text: 0, textPerItem: text }
}

function readArguments(given: readonly ArgumentNode[], request: MeasuredRequest): ArgumentValues {
  return Object.fromEntries(given.map(({ name, value }) => [name.value, readValue(value, request)]))
}

function readDefaults({ variableDefinitions = [] }: OperationDefinitionNode): MeasuredRequest['defaults'] {
  return new Map(
    variableDefinitions.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && readValue(defaultValue, NO_REQUEST),
    ]),
  )
}

function hasVariable(node: ValueNode): boolean {
  if (node.kind === Kind.LIST) return node.values.some(hasVariable)
  if (node.kind === Kind.OBJECT) return node.fields.some(({ value }) => hasVariable(value))
  return node.kind === Kind.VARIABLE
}

function readValue(node: ValueNode, request: MeasuredRequest): unknown {
  if (node.kind === Kind.VARIABLE) {
    const { value: name } = node.name
    return Object.hasOwn(request.variables, name) ? request.variables[name] : request.defaults.get(name)
  }
  if (node.kind === Kind.LIST) return node.values.map((value) => readValue(value, request))
  if (node.kind === Kind.OBJECT)
    return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, readValue(value, request)]))
  const value = valueFromASTUntyped(node)
  // An integer beyond 2^53-1 is text here: as numbers, different ones would be the same, and count once.
  return node.kind === Kind.INT && !Number.isSafeInteger(value) ? node.value : value
}
