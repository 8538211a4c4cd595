import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { compileDocument, isCompilable, variablesWithDefault } from '../workarounds/graphql-jit.ts'
import { executeOperation } from './execute.ts'
import { type Params, readVariables } from './params.ts'
import { measureOperation } from './query-cost.ts'
import type { Context } from './schema/context.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** Documents in the cache, compiled or not. A compiled one takes roughly ten kilobytes. */
const MAX_DOCUMENTS = 200
const MAX_FIELDS = 500

export interface CompiledQuery {
  operationName: string | undefined
  isMutation: boolean
  /** @returns its data or its errors; null, without executing anything, if graphql-js has to answer: the variables are invalid, make it too costly, or replace a default by null */
  run(
    variables: Readonly<Record<string, unknown>>,
    context: Context,
  ): ExecutionResult | Promise<ExecutionResult> | null
}

/** The compiled-query cache. A document is compiled the second time it is executed, because that takes longer than executing it once. */
export class CompiledQueries {
  readonly #schema: GraphQLSchema
  readonly #maxCost: number
  readonly #known = new LRUCache<string, CompiledQuery | 'executed once' | 'not compilable'>({
    max: MAX_DOCUMENTS,
  })

  /** The texts of documents that the operator trusts. */
  readonly #trusted: ReadonlySet<string>

  constructor(schema: GraphQLSchema, maxCost: number, trusted: TrustedDocuments = new Map()) {
    this.#schema = schema
    this.#maxCost = maxCost
    this.#trusted = new Set(trusted.values())
  }

  /** Records the execution of a document that has passed validation and all limits. */
  recordExecution(text: string, document: DocumentNode): void {
    const known = this.#known.get(text)
    if (known === undefined) this.#known.set(text, 'executed once')
    else if (known === 'executed once')
      this.#known.set(text, this.#compile(text, document) ?? 'not compilable')
  }

  find(text: string): CompiledQuery | null {
    const known = this.#known.get(text)
    return typeof known === 'object' ? known : null
  }

  /**
   * The fast path: answers without Yoga, whose pipeline takes several times as long.
   * @returns null, without having executed anything, if Yoga has to answer
   */
  answer(
    params: Params,
    method: 'GET' | 'POST',
    context: Context,
  ): ExecutionResult | Promise<ExecutionResult> | null {
    const { query, operationName } = params
    const compiled = typeof query === 'string' ? this.find(query) : null
    if (!compiled || (operationName != null && operationName !== compiled.operationName)) return null
    if (compiled.isMutation && method === 'GET') return null
    const variables = readVariables(params)
    return variables && compiled.run(variables, context)
  }

  /** The number of compiled documents. */
  get size(): number {
    return [...this.#known.values()].filter((known) => typeof known === 'object').length
  }

  #compile(text: string, document: DocumentNode): CompiledQuery | null {
    const operation = findCompilable(this.#schema, document, this.#trusted.has(text))
    const query = operation && compileDocument(this.#schema, document)
    if (!query) return null
    const defaulted = variablesWithDefault(operation)
    return {
      operationName: operation.name?.value,
      isMutation: operation.operation === OperationTypeNode.MUTATION,
      run: (variables, context) => {
        // Uses graphql-js, so that the resolvers receive the same values.
        const { variableValues } = {
          variableValues: undefined,
          // Yoga reports what is invalid.
          ...getVariableValues(this.#schema, operation.variableDefinitions ?? [], variables, {
            maxErrors: 1,
          }),
        }
        if (!variableValues) return null
        const { coerced } = variableValues
        // A null instead of the default may not fit the argument. graphql-js then words the error.
        if (defaulted.some((name) => coerced[name] === null)) return null
        const { cost } = measureOperation(this.#schema, document, operation, coerced)
        if (cost > this.#maxCost) return null
        context.outcome.queryCost = cost
        context.outcome.operation = operation.name?.value ?? null
        context.openCost.hold(context.apiKey.name, cost, context.response)
        return executeOperation(operation, () => query(undefined, context, coerced))
      },
    }
  }
}

/**
 * Decides whether a document may be compiled: a single query or mutation, of a few hundred fields at most, with fragments expanded, since
 * the compiler would never finish on fragments that double. A mutation has one field, so that nothing depends on the order of several.
 * @param document must be valid
 * @returns its operation; null if it must not be compiled
 */
export function findCompilable(
  schema: GraphQLSchema,
  document: DocumentNode,
  isTrusted: boolean,
): OperationDefinitionNode | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [operation] = operations
  if (!operation || operations.length > 1 || operation.operation === OperationTypeNode.SUBSCRIPTION)
    return null
  const [field, ...others] = operation.selectionSet.selections
  const isSingle = field?.kind === Kind.FIELD && others.length === 0
  if (operation.operation === OperationTypeNode.MUTATION && !isSingle) return null
  if (!isCompilable(document, isTrusted)) return null
  return measureOperation(schema, document, operation, {}).fields <= MAX_FIELDS ? operation : null
}
