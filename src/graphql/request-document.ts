import {
  coerceInputLiteral,
  type ExecutionResult,
  getOperationAST,
  GraphQLError,
  type OperationDefinitionNode,
  Source,
  validateInputLiteral,
  type VariableValues,
} from 'graphql'
import type { Program } from '../workarounds/graphql-jit.ts'
import { type ArgumentNodes, fillIn, type Leaf } from './document-shape.ts'
import type { PreparedDocument } from './prepared-document.ts'
import { measureOperation } from './query-cost.ts'

/** A document as a request sends it: a prepared one, with leaves of its own. */
export class RequestDocument {
  readonly prepared: PreparedDocument
  /** The one that was prepared: the program is compiled from its text. */
  readonly #first: RequestDocument
  readonly text: string
  readonly #leaves: readonly Leaf[]
  readonly #argumentNodes: ArgumentNodes
  /** The values of arguments that do not depend on variables, as resolvers receive them; undefined: not valid. */
  readonly #constants: Readonly<Record<string, unknown>>
  /** Absent until it has been measured, and if it depends on variables. */
  #cost: number | undefined

  /** @param first absent: this one */
  constructor(prepared: PreparedDocument, leaves: readonly Leaf[], text: string, first?: RequestDocument) {
    this.prepared = prepared
    this.#first = first ?? this
    this.text = text
    this.#leaves = leaves
    const hoistedArguments = prepared.template?.hoistedArguments ?? []
    const nodes = fillIn(hoistedArguments, leaves)
    const constants: Record<string, unknown> = {}
    for (const { name, type, isConstant } of hoistedArguments) {
      const node = nodes[name]
      if (node && isConstant) constants[name] = coerceInputLiteral(node, type)
    }
    this.#argumentNodes = nodes
    this.#constants = constants
  }

  /** Whether it is the one that was prepared. */
  get isFirst(): boolean {
    return this.#first === this
  }

  /** Whether it stands for all documents of its shape. */
  get isShared(): boolean {
    return this.#leaves.length > 0 && this.prepared.template?.isOneShape === true
  }

  /** @returns a document with the same key, and other leaves; null if one of their values is not valid, or the text has U+0000 instead */
  withLeaves(leaves: readonly Leaf[], text: string): RequestDocument | null {
    if (text === this.text) return this
    if (leaves.length !== this.#leaves.length) return null
    const other = new RequestDocument(this.prepared, leaves, text, this)
    return other.#hasValidArguments() ? other : null
  }

  /** Whether all values have the right types. What depends on variables is not looked at. */
  #hasValidArguments(): boolean {
    const { hoistedArguments = [] } = this.prepared.template ?? {}
    return hoistedArguments.every(({ name, type, isConstant }) => {
      if (isConstant) return this.#constants[name] !== undefined
      let isValid = true
      const node = this.#argumentNodes[name]
      if (node) validateInputLiteral(node, type, () => (isValid = false))
      return isValid
    })
  }

  /** @throws GraphQLError if the request does not name one of several operations */
  selectOperation(operationName: string | undefined): OperationDefinitionNode {
    const { document } = this.prepared
    const operation = document && getOperationAST(document, operationName)
    if (!operation) throw new GraphQLError('Could not determine what operation to execute.')
    return operation
  }

  /** @param selected an operation of the document @param variables as sent by the client */
  costOf(selected: OperationDefinitionNode, variables: Readonly<Record<string, unknown>> = {}): number {
    if (this.#cost !== undefined) return this.#cost
    const { schema, document, template } = this.prepared
    const { hoisted, operation } = template ?? { hoisted: document, operation: selected }
    if (!hoisted) throw new Error('A document that cannot be parsed costs nothing')
    const { cost, isFixed } = measureOperation({
      ...{ schema, document: hoisted, operation, variables },
      argumentNodes: this.#argumentNodes,
    })
    // Of several operations, each has a cost of its own.
    if (isFixed && template) this.#cost = cost
    return cost
  }

  /**
   * Executes the program.
   * @returns null if there is none, or a value is not valid, or is null instead of a default: graphql-js has to say so
   */
  runProgram(values: VariableValues, context: unknown): Promise<ExecutionResult> | null {
    const program = this.prepared.template?.program
    const variables = program && this.#toProgramVariables(program, values)
    if (!variables) return null
    const result = program.execute(context, variables)
    return this.isFirst ? result : result.then((found) => this.#placeErrors(found))
  }

  #toProgramVariables({ notNull }: Program, values: VariableValues): Record<string, unknown> | null {
    if (notNull.some((name) => values.coerced[name] === null)) return null
    // A variable may have the name of a method of objects.
    const variables: Record<string, unknown> = { __proto__: null, ...values.coerced, ...this.#constants }
    for (const { name, type, isConstant } of this.prepared.template?.hoistedArguments ?? []) {
      if (isConstant) continue
      const node = this.#argumentNodes[name]
      const value = node && coerceInputLiteral(node, type, values)
      if (value === undefined) return null
      variables[name] = value
    }
    return variables
  }

  /** The program was compiled from the first text: in this one, errors are at other places. */
  #placeErrors(result: ExecutionResult): ExecutionResult {
    if (!result.errors) return result
    const source = new Source(this.text)
    const move = (position: number) => {
      let moved = position
      for (const [index, { start, end }] of this.#first.#leaves.entries()) {
        const own = this.#leaves[index]
        if (start < position && own) moved += own.end - own.start - (end - start)
      }
      return moved
    }
    const errors = result.errors.map(
      ({ message, positions, path, cause }) =>
        new GraphQLError(message, { source, positions: positions?.map(move), path, cause }),
    )
    return { ...result, errors }
  }
}
