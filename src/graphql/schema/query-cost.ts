/** Query cost: declared with the fields, and added up for an operation, together with what else is limited. */
import {
  type DirectiveNode,
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
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { isJsonObject } from '../../base/json.ts'
import { defaultOrderOf, type ListDescription } from '../../resource/list-declaration.ts'
import { PAGE_SIZE } from '../../resource/list-pages.ts'

/** The arguments of a field, valid or not. */
type ArgumentValues = Readonly<Record<string, unknown>>

interface FieldCost {
  /** The cost of the field itself; 1 if absent. */
  own?: number | ((args: ArgumentValues) => number)
  /** On a connection: the maximum number of items on its page. */
  pageSize?: (args: ArgumentValues) => number
  /** On a list of the enclosing page's items: the selection counts once per item. */
  perItem?: boolean
}

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- an augmentation repeats the type parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    cost?: FieldCost
  }
}

/** The `extensions` of a field that costs more than 1. */
export function declareCost(cost: FieldCost): { cost: FieldCost } {
  return { cost }
}

/** The cost of what may scan a whole table: a count, or a filter that no index serves. A document may contain several, but not dozens. */
export const SCAN_COST = 450

/** The index rows that cost as much as one item on the page: items are loaded whole, whatever is selected. */
const ROWS_PER_COST = 10

/** For each combination of a filter's values, the database reads up to a page of rows from an index range. */
export function pageCostOf(list: ListDescription): (args: ArgumentValues) => number {
  const { filters, orders } = list
  const defaultOrder = defaultOrderOf(list)
  return (args) => {
    const { filter, orderBy, after, before } = args
    const sent = isJsonObject(filter) ? filter : undefined
    const order: unknown = orderBy ?? defaultOrder(sent)
    const field = isJsonObject(order) ? order.field : undefined
    const sortKey = typeof field === 'string' ? orders[field]?.key : undefined
    let ranges = 1
    let mayScan = false
    for (const [name, { use }] of Object.entries(filters)) {
      const value = sent?.[name] ?? null
      if (value === null) continue
      if (use.kind === 'anyOf') ranges *= countItems(value)
      else if (use.kind === 'condition') mayScan = true
      // An empty prefix is no condition.
      else mayScan ||= value !== '' && use.key !== sortKey
    }
    const pageSize = pageSizeOf(args)
    // One for the page, and one for whether items lie beyond the cursor.
    const scans = (after ?? before ?? null) === null ? 1 : 2
    return pageSize + Math.ceil((ranges * (pageSize + 1)) / ROWS_PER_COST) + (mayScan ? scans * SCAN_COST : 0)
  }
}

/** The maximum number of items that a page may have. An invalid size, or both at once, count as the largest: they are rejected later. */
export function pageSizeOf({ first, last }: ArgumentValues): number {
  if (first != null && last != null) return PAGE_SIZE.maximum
  const size = first ?? last ?? PAGE_SIZE.default
  return typeof size === 'number' && size >= 0 && size <= PAGE_SIZE.maximum ? size : PAGE_SIZE.maximum
}

/** The number of distinct items in a list. */
function countItems(list: unknown): number {
  return Array.isArray(list) ? Math.max(1, new Set(list).size) : 1
}

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
  /** Whether they are the same for all variables. */
  isFixed: boolean
}

/** The characters of `"":1,`. */
const PUNCTUATION = 5

export const NOTHING: Measures = {
  depth: 0,
  fields: 0,
  aliases: 0,
  directives: 0,
  cost: 0,
  text: 0,
  isFixed: true,
}

type Type = GraphQLNamedType | undefined
type Variables = Readonly<Record<string, unknown>>

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
  const definitions = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  const fragments = new Map(definitions.map((fragment) => [fragment.name.value, fragment]))
  const fixed: FixedMeasures = new Map()
  const type = schema.getRootType(operation.operation) ?? undefined
  const defaults = readDefaults(operation)
  return (variables) => {
    const measurement = new Measurement(schema, fragments, fixed, { ...defaults, ...variables })
    return add(measurement.measureSelections(operation.selectionSet, type, 1), measureDirectives(operation))
  }
}

/** The measures of selections that depend on no variable, for the size of the enclosing page that was the last one. */
type FixedMeasures = Map<SelectionSetNode, { pageSize: number; measures: Measures }>

class Measurement {
  readonly #schema: GraphQLSchema
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #fixed: FixedMeasures
  readonly #variables: Variables
  /** Each fragment is measured once per page size, since fragments that double would take exponential time. */
  readonly #measuredFragments = new Map<string, Measures>()

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    fixed: FixedMeasures,
    variables: Variables,
  ) {
    this.#schema = schema
    this.#fragments = fragments
    this.#fixed = fixed
    this.#variables = variables
  }

  /** @param type of what is selected from; undefined if the document is invalid @param pageSize the size of the enclosing page */
  measureSelections(set: SelectionSetNode | undefined, type: Type, pageSize: number): Measures {
    if (!set) return NOTHING
    const known = this.#fixed.get(set)
    if (known?.pageSize === pageSize) return known.measures
    let measures = NOTHING
    for (const selection of set.selections)
      measures = add(measures, this.#measureSelection(selection, type, pageSize))
    if (measures.isFixed) this.#fixed.set(set, { pageSize, measures })
    return measures
  }

  #measureSelection(selection: SelectionNode, type: Type, pageSize: number): Measures {
    if (selection.kind === Kind.FIELD) return this.#measureField(selection, type, pageSize)
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.#measureFragment(selection, type, pageSize)
    return add(measureDirectives(selection), this.#measureOnce(selection.name.value, pageSize))
  }

  #measureField(field: FieldNode, type: Type, pageSize: number): Measures {
    const definition = isCompositeType(type) ? this.#schema.getField(type, field.name.value) : undefined
    const cost: FieldCost = definition?.extensions.cost ?? {}
    const dependsOnArguments = typeof cost.own === 'function' || cost.pageSize !== undefined
    const args = dependsOnArguments ? this.#readArguments(field) : {}
    const innerSize = cost.pageSize?.(args) ?? (cost.perItem ? 1 : pageSize)
    const below = this.measureSelections(
      field.selectionSet,
      definition && getNamedType(definition.type),
      innerSize,
    )
    const own = typeof cost.own === 'function' ? cost.own(args) : (cost.own ?? 1)
    const times = cost.perItem ? pageSize : 1
    const { value: name } = field.alias ?? field.name
    return {
      depth: below.depth + 1,
      fields: below.fields + 1,
      aliases: below.aliases + (field.alias ? 1 : 0),
      directives: below.directives + measureDirectives(field).directives,
      cost: own + below.cost * times,
      text: name.length + PUNCTUATION + below.text * times,
      isFixed:
        below.isFixed && !(dependsOnArguments && field.arguments?.some(({ value }) => hasVariable(value))),
    }
  }

  #measureFragment(
    fragment: FragmentDefinitionNode | InlineFragmentNode,
    type: Type,
    pageSize: number,
  ): Measures {
    const condition = fragment.typeCondition
    const inner = condition ? this.#schema.getType(condition.name.value) : type
    return add(measureDirectives(fragment), this.measureSelections(fragment.selectionSet, inner, pageSize))
  }

  #measureOnce(name: string, pageSize: number): Measures {
    const key = `${name} ${pageSize}`
    const known = this.#measuredFragments.get(key)
    if (known) return known
    // Another rule rejects a fragment that contains itself; here the recursion only has to end.
    this.#measuredFragments.set(key, NOTHING)
    const fragment = this.#fragments.get(name)
    const measures = fragment ? this.#measureFragment(fragment, undefined, pageSize) : NOTHING
    this.#measuredFragments.set(key, measures)
    return measures
  }

  #readArguments({ arguments: given = [] }: FieldNode): ArgumentValues {
    return Object.fromEntries(given.map(({ name, value }) => [name.value, readValue(value, this.#variables)]))
  }
}

function readDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && readValue(defaultValue, {}),
    ]),
  )
}

function hasVariable(node: ValueNode): boolean {
  if (node.kind === Kind.LIST) return node.values.some(hasVariable)
  if (node.kind === Kind.OBJECT) return node.fields.some(({ value }) => hasVariable(value))
  return node.kind === Kind.VARIABLE
}

/** An integer beyond 2^53-1 is text here: as numbers, different ones would be the same, and count once. */
function readValue(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.LIST) return node.values.map((value) => readValue(value, variables))
  if (node.kind === Kind.OBJECT)
    return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, readValue(value, variables)]))
  const value = valueFromASTUntyped(node, variables)
  return node.kind === Kind.INT && !Number.isSafeInteger(value) ? node.value : value
}

function add(one: Measures, other: Measures): Measures {
  return {
    depth: Math.max(one.depth, other.depth),
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
    cost: one.cost + other.cost,
    text: one.text + other.text,
    isFixed: one.isFixed && other.isFixed,
  }
}

function measureDirectives({ directives }: { directives?: readonly DirectiveNode[] | undefined }): Measures {
  return { ...NOTHING, directives: directives?.length ?? 0 }
}
