import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type VariableValues,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../base/service-error.ts'
import type { DocumentLimits } from '../config/variable-parsers.ts'
import { compileClientDocument } from '../workarounds/graphql-jit.ts'
import { executeOperation } from './execute.ts'
import type { Params } from './params.ts'
import { measureOperation } from './query-cost.ts'
import type { Context } from './resource-types/context.ts'

/** The maximum number of compiled documents, which take more memory than their texts, and of the texts of other documents. */
const MAX_DOCUMENTS = 200
const MAX_FIELDS = 500

type CompiledQuery = NonNullable<ReturnType<typeof compile>>

/** The compiled-query cache. A document is compiled the second time it is executed, because that takes longer than executing it once. */
export class CompiledQueries {
  readonly #schema: GraphQLSchema
  readonly #maxCost: number
  readonly #compiled = new LRUCache<string, CompiledQuery>({ max: MAX_DOCUMENTS })
  /** Separate from the compiled ones, so that documents which are executed only once evict none of those. */
  readonly #others = new LRUCache<string, 'executed once' | 'not compilable'>({ max: MAX_DOCUMENTS })

  constructor(schema: GraphQLSchema, { cost }: Pick<DocumentLimits, 'cost'>) {
    this.#schema = schema
    this.#maxCost = cost
  }

  /** The number of compiled documents. */
  get size(): number {
    return this.#compiled.size
  }

  /** Records the execution of a document that has passed validation and all limits. */
  recordExecution(text: string, document: DocumentNode): void {
    if (this.#compiled.has(text)) return
    const known = this.#others.get(text)
    const compiled = known === 'executed once' ? compile(this.#schema, document) : null
    if (compiled) {
      this.#others.delete(text)
      this.#compiled.set(text, compiled)
    } else this.#others.set(text, known ? 'not compilable' : 'executed once')
  }

  /** @returns the document, if it is compiled */
  find(text: string): CompiledQuery | undefined {
    return this.#compiled.get(text)
  }

  /**
   * The fast path: answers without Yoga, whose pipeline takes longer.
   * @returns null if Yoga has to answer, since the document is not compiled, or to say what is wrong; then nothing has been executed
   */
  async answer(
    { query, operationName, variables = {} }: Pick<Params, 'operationName' | 'variables'> & { query: string },
    method: 'GET' | 'POST',
    context: Context,
  ): Promise<ExecutionResult | null> {
    const compiled = this.find(query)
    if (!compiled) return null
    const { operation, definitions, toVariables, execute, costOf } = compiled
    const name = operation.name?.value
    if (operationName !== undefined && operationName !== name) return null
    if (operation.operation === OperationTypeNode.MUTATION && method === 'GET') return null
    // By graphql-js, so that the resolvers receive the same values.
    const { variableValues } = getVariableValues(this.#schema, definitions, variables, { maxErrors: 1 })
    const values = variableValues && toVariables(variableValues)
    if (!values) return null
    const cost = costOf(variableValues)
    if (cost > this.#maxCost) return null
    context.outcome.queryCost = cost
    context.outcome.operation = name ?? null
    try {
      context.openCost.hold(context.apiKey.name, cost, context.response)
      return await executeOperation(operation, context, () => execute(context, values))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { errors: [new GraphQLError(error.message, { cause: error })] }
    }
  }
}

/**
 * Compiles a single query or mutation, of a few hundred fields at most, with fragments expanded, since the compiler would never finish
 * on fragments that double. A mutation has one field, so that nothing depends on the order of several.
 * @param document must be valid
 * @returns null if it must not be compiled
 */
function compile(schema: GraphQLSchema, document: DocumentNode) {
  const operation = findCompilable(document)
  if (!operation) return null
  const measure = (variables: VariableValues['coerced']) =>
    measureOperation({ schema, document, operation, variables })
  const { fields, cost, isFixed } = measure({})
  if (fields > MAX_FIELDS) return null
  const compiled = compileClientDocument(schema, document)
  return (
    compiled && {
      ...compiled,
      operation,
      definitions: operation.variableDefinitions ?? [],
      costOf: ({ coerced }: VariableValues) => (isFixed ? cost : measure(coerced).cost),
    }
  )
}

function findCompilable({ definitions }: DocumentNode): OperationDefinitionNode | null {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [operation] = operations
  if (!operation || operations.length > 1) return null
  const { selections } = operation.selectionSet
  const isSingle = selections.length === 1 && selections[0]?.kind === Kind.FIELD
  const { QUERY, MUTATION } = OperationTypeNode
  return operation.operation === QUERY || (operation.operation === MUTATION && isSingle) ? operation : null
}
