/** What an operation costs: the sum of what its fields declare (field-cost.ts), with its fragments expanded. */
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
import type { FieldCost } from '../field-cost.ts'
import { findFragment } from './find-fragment.ts'

interface CostInput {
  schema: GraphQLSchema
  /** Valid. */
  document: DocumentNode
  /** An operation of the document. */
  operation: OperationDefinitionNode
  /** As sent by the client; a missing one counts as its default. */
  variables: Readonly<Record<string, unknown>>
  /** The value of an argument of the document. */
  readArgument: (node: ArgumentNode) => ValueNode
}

/** What a part of a document costs. */
interface PartCost {
  cost: number
  /** Multiplied by the size of the page around it. */
  costPerItem: number
}

type Type = GraphQLNamedType | undefined
type NodeWithSelections = OperationDefinitionNode | FragmentDefinitionNode | FieldNode | InlineFragmentNode

export function costOf(input: CostInput): number {
  const { schema, operation } = input
  const { cost, costPerItem } = new CostReader(input).read(
    operation,
    schema.getRootType(operation.operation) ?? undefined,
  )
  return cost + costPerItem
}

class CostReader {
  readonly #input: CostInput
  /** Each fragment is measured once, however often it is used. */
  readonly #fragments = new Map<string, PartCost>()

  constructor(input: CostInput) {
    this.#input = input
  }

  /** What a node selects. @param type of what is selected from */
  read({ selectionSet }: NodeWithSelections, type: Type): PartCost {
    const sum = { cost: 0, costPerItem: 0 }
    for (const selection of selectionSet?.selections ?? []) {
      const part = this.#readSelection(selection, type)
      sum.cost += part.cost
      sum.costPerItem += part.costPerItem
    }
    return sum
  }

  #readSelection(selection: SelectionNode, type: Type): PartCost {
    if (selection.kind === Kind.FIELD) return this.#readField(selection, type)
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.#readFragment(selection, type)
    const { value: name } = selection.name
    const known = this.#fragments.get(name)
    if (known) return known
    const fragment = findFragment(this.#input.document, name)
    const part = fragment ? this.#readFragment(fragment, type) : { cost: 0, costPerItem: 0 }
    this.#fragments.set(name, part)
    return part
  }

  #readFragment(fragment: FragmentDefinitionNode | InlineFragmentNode, type: Type): PartCost {
    const condition = fragment.typeCondition
    return this.read(fragment, condition ? this.#input.schema.getType(condition.name.value) : type)
  }

  #readField(field: FieldNode, type: Type): PartCost {
    const definition = isCompositeType(type) ? this.#input.schema.getField(type, field.name.value) : undefined
    const { own = 1, pageSize, perItem }: FieldCost = definition?.extensions.cost ?? {}
    let { cost, costPerItem } = this.read(field, definition && getNamedType(definition.type))
    const args = pageSize || typeof own === 'function' ? this.#readArguments(field) : {}
    if (perItem) [cost, costPerItem] = [0, costPerItem + cost]
    if (pageSize) [cost, costPerItem] = [cost + costPerItem * pageSize(args), 0]
    return { cost: cost + (typeof own === 'function' ? own(args) : own), costPerItem }
  }

  #readArguments({ arguments: nodes = [] }: FieldNode): Record<string, unknown> {
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
    const { variables, operation } = this.#input
    if (Object.hasOwn(variables, name)) return variables[name]
    const { defaultValue } =
      operation.variableDefinitions?.find(({ variable }) => variable.name.value === name) ?? {}
    return defaultValue && this.#readValue(defaultValue)
  }
}
