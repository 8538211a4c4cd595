/**
 * What an operation costs: the sum of what its fields declare (field-cost.ts), with its fragments expanded.
 *
 *     { items(first: 3) { totalCount nodes { id name } } }
 *
 * costs 3 for the page, 450 for the count, 1 for `nodes`, and 1 for each of the two fields of each of the three items: 460.
 *
 * The plan of an operation is made once, when its document is prepared, and adds up what does not depend on values. A request then gives it
 * the values.
 */
import {
  type ArgumentNode,
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
import type { ArgumentValues, FieldCost } from './field-cost.ts'
import type { Fragments } from './fragments.ts'

/** The values that the cost of an operation depends on. */
interface CostInput {
  /** As sent by the client, valid or not; a missing one counts as its default. */
  variables: Readonly<Record<string, unknown>>
  /** The value of an argument of the document. */
  readArgument: (node: ArgumentNode) => ValueNode
}

/** @returns the cost of an operation for the values of a request */
export type OperationCost = (input: CostInput) => number

/** What a part of a document costs. */
interface PartCost {
  cost: number
  /** Multiplied by the size of the page around it. */
  costPerItem: number
}

/** Fixed, or by the values of arguments. */
type Part = PartCost | ((values: Values) => PartCost)
type Type = GraphQLNamedType | undefined
type NodeWithSelections = OperationDefinitionNode | FragmentDefinitionNode | FieldNode | InlineFragmentNode

/** Plans the operations of a valid document. */
export class CostPlanner {
  readonly #schema: GraphQLSchema
  readonly #fragments: Fragments
  /** Each fragment is planned once, however often it is used. */
  readonly #fragmentParts = new Map<string, Part>()

  /** @param fragments of the document */
  constructor(schema: GraphQLSchema, fragments: Fragments) {
    this.#schema = schema
    this.#fragments = fragments
  }

  plan(operation: OperationDefinitionNode): OperationCost {
    const part = this.#planSelections(operation, this.#schema.getRootType(operation.operation) ?? undefined)
    return (input) => {
      const { cost, costPerItem } = evaluate(part, new Values(input, operation))
      return cost + costPerItem
    }
  }

  /** What a node selects. @param type of what is selected from */
  #planSelections({ selectionSet }: NodeWithSelections, type: Type): Part {
    return addUp((selectionSet?.selections ?? []).map((selection) => this.#planSelection(selection, type)))
  }

  #planSelection(selection: SelectionNode, type: Type): Part {
    if (selection.kind === Kind.FIELD) return this.#planField(selection, type)
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#planSpread(selection.name.value)
    return this.#planFragment(selection, type)
  }

  #planSpread(name: string): Part {
    const known = this.#fragmentParts.get(name)
    if (known) return known
    const fragment = this.#fragments.get(name)
    const part = fragment ? this.#planFragment(fragment) : NOTHING
    const once = typeof part === 'function' ? (values: Values) => values.readOnce(part) : part
    this.#fragmentParts.set(name, once)
    return once
  }

  /** @param type of what is around it, which an inline fragment may have, too */
  #planFragment(fragment: FragmentDefinitionNode | InlineFragmentNode, type?: Type): Part {
    const condition = fragment.typeCondition
    return this.#planSelections(fragment, condition ? this.#schema.getType(condition.name.value) : type)
  }

  #planField(field: FieldNode, type: Type): Part {
    const definition = isCompositeType(type) ? this.#schema.getField(type, field.name.value) : undefined
    const declared = definition?.extensions.cost ?? {}
    const selected = this.#planSelections(field, definition && getNamedType(definition.type))
    if (declared.pageSize || typeof declared.own === 'function')
      return (values) => addField(evaluate(selected, values), declared, values.readArguments(field))
    if (typeof selected === 'function') return (values) => addField(selected(values), declared, {})
    return addField(selected, declared, {})
  }
}

/** What a field costs, with what it selects. */
function addField(
  selected: PartCost,
  { own = 1, pageSize, perItem }: FieldCost,
  args: ArgumentValues,
): PartCost {
  let { cost, costPerItem } = selected
  if (perItem) {
    costPerItem += cost
    cost = 0
  }
  if (pageSize) {
    cost += costPerItem * pageSize(args)
    costPerItem = 0
  }
  return { cost: cost + (typeof own === 'function' ? own(args) : own), costPerItem }
}

const NOTHING: PartCost = { cost: 0, costPerItem: 0 }

function addUp(parts: readonly Part[]): Part {
  const fixed = parts.filter((part) => typeof part !== 'function').reduce(add, NOTHING)
  const others = parts.filter((part) => typeof part === 'function')
  if (others.length === 0) return fixed
  return (values) => others.map((part) => part(values)).reduce(add, fixed)
}

function add(one: PartCost, other: PartCost): PartCost {
  return { cost: one.cost + other.cost, costPerItem: one.costPerItem + other.costPerItem }
}

function evaluate(part: Part, values: Values): PartCost {
  return typeof part === 'function' ? part(values) : part
}

/** The values of one request. */
class Values {
  readonly #input: CostInput
  readonly #operation: OperationDefinitionNode
  readonly #known = new Map<Part, PartCost>()

  constructor(input: CostInput, operation: OperationDefinitionNode) {
    this.#input = input
    this.#operation = operation
  }

  /** What a fragment costs, which may be used often. */
  readOnce(part: (values: Values) => PartCost): PartCost {
    const known = this.#known.get(part) ?? part(this)
    this.#known.set(part, known)
    return known
  }

  readArguments({ arguments: nodes = [] }: FieldNode): ArgumentValues {
    const { readArgument } = this.#input
    return Object.fromEntries(nodes.map((node) => [node.name.value, this.#readValue(readArgument(node))]))
  }

  #readValue(node: ValueNode): unknown {
    if (node.kind === Kind.VARIABLE) return this.#readVariable(node.name.value)
    if (node.kind === Kind.LIST) return node.values.map((value) => this.#readValue(value))
    if (node.kind === Kind.OBJECT)
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, this.#readValue(value)]))
    const value = valueFromASTUntyped(node)
    // An integer beyond 2^53-1 stays a string: as numbers, different ones could be equal, and would count once.
    return node.kind === Kind.INT && !Number.isSafeInteger(value) ? node.value : value
  }

  #readVariable(name: string): unknown {
    const { variables } = this.#input
    if (Object.hasOwn(variables, name)) return variables[name]
    const { defaultValue } =
      this.#operation.variableDefinitions?.find(({ variable }) => variable.name.value === name) ?? {}
    return defaultValue && this.#readValue(defaultValue)
  }
}
