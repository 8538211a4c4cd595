/** What an operation costs, and its other limited measures: depth, fields, aliases, directives. */
import {
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
import type { ArgumentNodes } from './document-shape.ts'
import type { FieldCost } from './pothos/field-cost.ts'

/** The size of an operation and its cost, with its fragments expanded. */
export interface Measures {
  /** Levels of nested fields. */
  depth: number
  fields: number
  aliases: number
  directives: number
  /** The sum of the fields' declared costs. */
  cost: number
}

/** What a part of a document measures. `costPerItem` is multiplied by the size of the page around it. */
interface PartMeasures extends Measures {
  costPerItem: number
}

type Type = GraphQLNamedType | undefined
type NodeWithSelections = OperationDefinitionNode | FragmentDefinitionNode | FieldNode | InlineFragmentNode

const NOTHING: Measures = { depth: 0, fields: 0, aliases: 0, directives: 0, cost: 0 }

interface MeasureInput {
  schema: GraphQLSchema
  document: DocumentNode
  /** An operation of the document. */
  operation: OperationDefinitionNode
  /** As sent by the client; a missing one counts as its default. */
  variables: Readonly<Record<string, unknown>>
  /** The values of the arguments for which variables stand in the document. */
  argumentNodes?: ArgumentNodes
}

/** Measures an operation, also of a document that is not valid. `isFixed`: its cost is the same with any variables. */
export function measureOperation(input: MeasureInput): Measures & { isFixed: boolean } {
  const { schema, operation } = input
  const type = schema.getRootType(operation.operation) ?? undefined
  const visitor = new CostVisitor(input)
  const { costPerItem, ...measures } = visitor.measure(operation, type)
  return { ...measures, cost: measures.cost + costPerItem, isFixed: visitor.isFixed }
}

class CostVisitor {
  /** Whether no variable was read. */
  isFixed = true
  readonly #input: MeasureInput
  /** Each fragment is measured once, however often it is used. */
  readonly #fragments = new Map<string, PartMeasures>()

  constructor(input: MeasureInput) {
    this.#input = input
  }

  /** What a node selects, with its directives. @param type of what is selected from; undefined if the document is invalid */
  measure({ selectionSet, directives = [] }: NodeWithSelections, type: Type): PartMeasures {
    const sum = { ...NOTHING, directives: directives.length, costPerItem: 0 }
    for (const selection of selectionSet?.selections ?? []) {
      const part = this.#measureSelection(selection, type)
      sum.depth = Math.max(sum.depth, part.depth)
      sum.fields += part.fields
      sum.aliases += part.aliases
      sum.directives += part.directives
      sum.cost += part.cost
      sum.costPerItem += part.costPerItem
    }
    return sum
  }

  #measureSelection(selection: SelectionNode, type: Type): PartMeasures {
    if (selection.kind === Kind.FIELD) return this.#measureField(selection, type)
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.#measureFragment(selection, type)
    const part = this.#measureNamed(selection.name.value)
    return { ...part, directives: part.directives + (selection.directives?.length ?? 0) }
  }

  #measureField(field: FieldNode, type: Type): PartMeasures {
    const definition = isCompositeType(type) ? this.#input.schema.getField(type, field.name.value) : undefined
    const { own = 1, pageSize, perItem }: FieldCost = definition?.extensions.cost ?? {}
    const part = this.measure(field, definition && getNamedType(definition.type))
    part.depth += 1
    part.fields += 1
    if (field.alias) part.aliases += 1
    const args = pageSize || typeof own === 'function' ? this.#readArguments(field) : {}
    if (perItem) {
      part.costPerItem += part.cost
      part.cost = 0
    }
    if (pageSize) {
      part.cost += part.costPerItem * pageSize(args)
      part.costPerItem = 0
    }
    part.cost += typeof own === 'function' ? own(args) : own
    return part
  }

  #measureFragment(fragment: FragmentDefinitionNode | InlineFragmentNode, type: Type): PartMeasures {
    const condition = fragment.typeCondition
    return this.measure(fragment, condition ? this.#input.schema.getType(condition.name.value) : type)
  }

  #measureNamed(name: string): PartMeasures {
    const known = this.#fragments.get(name)
    if (known) return known
    const nothing = { ...NOTHING, costPerItem: 0 }
    // Another rule rejects a fragment that contains itself; here the recursion only has to end.
    this.#fragments.set(name, nothing)
    const fragments = this.#input.document.definitions.filter(
      (node) => node.kind === Kind.FRAGMENT_DEFINITION,
    )
    const fragment = fragments.find((one) => one.name.value === name)
    const part = fragment ? this.#measureFragment(fragment, undefined) : nothing
    this.#fragments.set(name, part)
    return part
  }

  /** Each argument is read only if a cost depends on it. So the cost stays fixed if a variable is only a cursor. */
  #readArguments({ arguments: nodes = [] }: FieldNode): Record<string, unknown> {
    const args = {}
    for (const { name, value } of nodes)
      Object.defineProperty(args, name.value, { configurable: true, get: () => this.#read(value) })
    return args
  }

  #read(node: ValueNode): unknown {
    if (node.kind === Kind.VARIABLE) return this.#readVariable(node.name.value)
    if (node.kind === Kind.LIST) return node.values.map((value) => this.#read(value))
    if (node.kind === Kind.OBJECT)
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, this.#read(value)]))
    const value = valueFromASTUntyped(node)
    // An integer beyond 2^53-1 stays a string: as numbers, different ones could be equal, and would count once.
    return node.kind === Kind.INT && !Number.isSafeInteger(value) ? node.value : value
  }

  #readVariable(name: string): unknown {
    const { variables, argumentNodes, operation } = this.#input
    const node = argumentNodes && Object.hasOwn(argumentNodes, name) ? argumentNodes[name] : undefined
    if (node) return this.#read(node)
    this.isFixed = false
    if (Object.hasOwn(variables, name)) return variables[name]
    const value = operation.variableDefinitions?.find(
      ({ variable }) => variable.name.value === name,
    )?.defaultValue
    return value && this.#read(value)
  }
}
