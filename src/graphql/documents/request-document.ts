import {
  type ArgumentNode,
  coerceInputLiteral,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  isNonNullType,
  Kind,
  Source,
  validateInputLiteral,
  type ValueNode,
  type VariableValues,
  visit,
} from 'graphql'
import type { DocumentArgument } from '../../workarounds/graphql-jit.ts'
import type { DocumentSource } from './document-source.ts'
import type { PreparedDocument, PreparedOperation } from './prepared-document.ts'
import { fillIn } from './shared-shape.ts'

/** A document as a request sends it: a prepared one, with the values of its arguments in this request. */
export class RequestDocument {
  readonly prepared: PreparedDocument
  readonly #source: DocumentSource
  /** By the nodes of the arguments in the prepared document; null: it is the prepared one, with its own values. */
  readonly #values: ReadonlyMap<ArgumentNode, ValueNode> | null

  /** @param source that of the prepared document, or of another one of its shape */
  constructor(prepared: PreparedDocument, source: DocumentSource) {
    this.prepared = prepared
    this.#source = source
    this.#values = source.text === prepared.source.text ? null : fillIn(prepared.arguments, source.leaves)
  }

  get text(): string {
    return this.#source.text
  }

  get tokenCount(): number {
    return this.prepared.tree.tokenCount ?? 0
  }

  /** Whether its values have the right types, as the prepared ones have. */
  isValid(): boolean {
    let isValid = true
    for (const { node, definition } of this.prepared.arguments)
      validateInputLiteral(this.#valueOf(node), definition.type, () => (isValid = false))
    return isValid
  }

  /** @throws GraphQLError if there is none of this name, or if one of several has to be named */
  selectOperation(operationName: string | undefined): PreparedOperation {
    const { operations } = this.prepared
    const named = operations.filter(
      ({ node }) => operationName === undefined || node.name?.value === operationName,
    )
    const [operation] = named
    if (!operation) throw new GraphQLError(`There is no operation named "${operationName}".`)
    if (named.length > 1) throw new GraphQLError('Send operationName: the document has several operations.')
    return operation
  }

  /** @param operation of the document @param variables as sent by the client */
  costOf(operation: PreparedOperation, variables: Readonly<Record<string, unknown>> = {}): number {
    return operation.cost({ variables, readArgument: (node) => this.#valueOf(node) })
  }

  /** Compiles it if graphql-js would execute it for the second time, which takes long. */
  compileAtSecondRun(): void {
    this.prepared.program.compileAtSecondRun()
  }

  /** Executes it as it was compiled. @returns null: that cannot execute it, so graphql-js has to */
  runCompiled(variables: VariableValues, context: unknown): Promise<ExecutionResult> | null {
    const { compiled } = this.prepared.program
    const values = compiled && this.#coerceArguments(variables)
    return values && compiled(context, values)
  }

  /** @returns null: one has no value, but may not simply be absent */
  #coerceArguments(variables: VariableValues): unknown[] | null {
    const values: unknown[] = []
    for (const argument of this.prepared.arguments) {
      const { node, definition } = argument
      const value = coerceInputLiteral(this.#valueOf(node), definition.type, variables)
      if (value === undefined && !isAbsent(argument, variables)) return null
      values.push(value)
    }
    return values
  }

  /** The document as graphql-js executes it. Its positions are those in the text that was prepared. */
  toTree(): DocumentNode {
    const { tree } = this.prepared
    if (!this.#values) return tree
    return visit(tree, { Argument: (node) => ({ ...node, value: this.#valueOf(node) }) })
  }

  #valueOf(node: ArgumentNode): ValueNode {
    return this.#values?.get(node) ?? node.value
  }

  /** @returns where an error of the prepared document is in the text of this one */
  placeOf({ source, positions }: GraphQLError): Pick<GraphQLError, 'source' | 'positions'> {
    if (!this.#values || source !== this.prepared.tree.loc?.source) return { source, positions }
    return {
      source: new Source(this.text),
      positions: positions?.map((position) => this.#source.movePosition(position, this.prepared.source)),
    }
  }
}

/** Whether an argument is absent, since its variable has no value, and may be, without a default. */
function isAbsent({ node: { value }, definition }: DocumentArgument, { coerced }: VariableValues): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Pothos sets this one
  const hasDefault = definition.default !== undefined || definition.defaultValue !== undefined
  return (
    value.kind === Kind.VARIABLE &&
    !Object.hasOwn(coerced, value.name.value) &&
    !hasDefault &&
    !isNonNullType(definition.type)
  )
}
