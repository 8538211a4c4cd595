/** The arguments of fields as a request sends them. Its cost is known before it is known whether they are valid. */
import {
  type ArgumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'

/** The arguments of a field by their names, valid or not. */
export type SentArguments = Readonly<Record<string, unknown>>

/** Where a request has its values. */
export interface RequestValues {
  /** As sent by the client, valid or not; a missing one counts as its default. */
  variables: Readonly<Record<string, unknown>>
  /** The value of an argument of the document, in which there may be variables. */
  readArgument: (node: ArgumentNode) => ValueNode
}

/** Reads the arguments of the fields of an operation. */
export class ArgumentReader {
  readonly #operation: OperationDefinitionNode
  readonly #values: RequestValues

  constructor(operation: OperationDefinitionNode, values: RequestValues) {
    this.#operation = operation
    this.#values = values
  }

  read({ arguments: nodes = [] }: FieldNode): SentArguments {
    const { readArgument } = this.#values
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
    const { variables } = this.#values
    if (Object.hasOwn(variables, name)) return variables[name]
    const { defaultValue } =
      this.#operation.variableDefinitions?.find(({ variable }) => variable.name.value === name) ?? {}
    return defaultValue && this.#readValue(defaultValue)
  }
}
