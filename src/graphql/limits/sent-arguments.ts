/**
 * The arguments of fields as a request sends them, raw, as JSON has them. They are read from the literals of its document (ArgumentLiterals) and
 * from its variables, since the cost is known before it is known whether they are valid. What resolvers receive is coerced from the same.
 */
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

/** The variables of a request by their names, valid or not. */
export type SentVariables = Readonly<Record<string, unknown>>

/** @returns the literal of an argument in a request, in which there may be variables */
export type ReadLiteral = (node: ArgumentNode) => ValueNode

/** Reads the arguments of the fields of an operation. */
export class ArgumentReader {
  readonly #operation: OperationDefinitionNode
  readonly #variables: SentVariables
  readonly #readLiteral: ReadLiteral

  constructor(operation: OperationDefinitionNode, variables: SentVariables, readLiteral: ReadLiteral) {
    this.#operation = operation
    this.#variables = variables
    this.#readLiteral = readLiteral
  }

  read({ arguments: nodes = [] }: FieldNode): SentArguments {
    return Object.fromEntries(
      nodes.map((node) => [node.name.value, this.#readValue(this.#readLiteral(node))]),
    )
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

  /** One that is not sent counts as its default. */
  #readVariable(name: string): unknown {
    if (Object.hasOwn(this.#variables, name)) return this.#variables[name]
    const { defaultValue } =
      this.#operation.variableDefinitions?.find(({ variable }) => variable.name.value === name) ?? {}
    return defaultValue && this.#readValue(defaultValue)
  }
}
