import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { compileDocument, isAnsweredAlike, variablesWithDefault } from '../workarounds/graphql-jit.ts'
import type { DocumentLimits } from '../config/env.ts'
import { findTexts, takeTexts } from './document-texts.ts'
import { executeOperation } from './execute.ts'
import { type Params, readVariables } from './params.ts'
import { measureOperation } from './query-cost.ts'
import type { Context } from './schema/context.ts'

/** Documents in the cache, compiled or not. A compiled one takes roughly ten kilobytes. */
const MAX_DOCUMENTS = 200
const MAX_FIELDS = 500

export interface CompiledQuery {
  operationName: string | undefined
  isMutation: boolean
  /**
   * @param texts of the document
   * @returns its data or its errors; null: nothing was executed, and graphql-js has to answer, since a value is invalid, too costly, or a
   *   null in place of a default
   */
  run(
    variables: Readonly<Record<string, unknown>>,
    texts: readonly string[],
    context: Context,
  ): ExecutionResult | Promise<ExecutionResult> | null
}

/**
 * The compiled-query cache, whose keys are documents without their texts. One is compiled the second time it is executed, because that
 * takes longer than executing it once.
 */
export class CompiledQueries {
  readonly #schema: GraphQLSchema
  readonly #limits: Pick<DocumentLimits, 'cost' | 'length'>
  readonly #known = new LRUCache<string, CompiledQuery | 'executed once' | 'not compilable'>({
    max: MAX_DOCUMENTS,
  })

  /** @param limits `length` in characters: Yoga refuses longer documents */
  constructor(schema: GraphQLSchema, limits: Pick<DocumentLimits, 'cost' | 'length'>) {
    this.#schema = schema
    this.#limits = limits
  }

  /** Records the execution of a document that has passed validation and all limits. */
  recordExecution(text: string, document: DocumentNode): void {
    const { key, texts } = findTexts(text)
    const known = this.#known.get(key)
    if (known === undefined) this.#known.set(key, 'executed once')
    else if (known === 'executed once')
      this.#known.set(key, this.#compile(document, texts.length) ?? 'not compilable')
  }

  /** @returns the document, if it is compiled, and the texts in it */
  find(text: string): { compiled: CompiledQuery; texts: readonly string[] } | null {
    if (text.length > this.#limits.length) return null
    const { key, texts } = findTexts(text)
    const compiled = this.#known.get(key)
    return typeof compiled === 'object' ? { compiled, texts } : null
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
    const found = typeof query === 'string' ? this.find(query) : null
    if (!found) return null
    const { compiled, texts } = found
    if (operationName != null && operationName !== compiled.operationName) return null
    if (compiled.isMutation && method === 'GET') return null
    const variables = readVariables(params)
    return variables && compiled.run(variables, texts, context)
  }

  /** The number of compiled documents. */
  get size(): number {
    return [...this.#known.values()].filter((known) => typeof known === 'object').length
  }

  /** @param sent the document, with this number of texts */
  #compile(sent: DocumentNode, texts: number): CompiledQuery | null {
    const taken = takeTexts(this.#schema, sent, texts)
    const operation = taken && findCompilable(this.#schema, taken.document)
    if (!operation) return null
    const { document, toVariables } = taken
    // Two calls of a field with equal texts are one call, but not with different ones.
    if (texts > 0 && validate(this.#schema, document).length > 0) return null
    const query = compileDocument(this.#schema, document)
    if (!query) return null
    const defaulted = variablesWithDefault(operation)
    return {
      operationName: operation.name?.value,
      isMutation: operation.operation === OperationTypeNode.MUTATION,
      run: (variables, texts, context) => {
        const ofTexts = toVariables(texts)
        if (!ofTexts) return null
        // Uses graphql-js, so that the resolvers receive the same values.
        const { variableValues } = {
          variableValues: undefined,
          // Yoga reports what is invalid.
          ...getVariableValues(
            this.#schema,
            operation.variableDefinitions ?? [],
            { ...variables, ...ofTexts },
            { maxErrors: 1 },
          ),
        }
        if (!variableValues) return null
        const { coerced } = variableValues
        // A null instead of the default may not fit the argument. graphql-js then words the error.
        if (defaulted.some((name) => coerced[name] === null)) return null
        const { cost } = measureOperation(this.#schema, document, operation, coerced)
        if (cost > this.#limits.cost) return null
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
function findCompilable(schema: GraphQLSchema, document: DocumentNode): OperationDefinitionNode | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [operation] = operations
  if (!operation || operations.length > 1 || operation.operation === OperationTypeNode.SUBSCRIPTION)
    return null
  const [field, ...others] = operation.selectionSet.selections
  const isSingle = field?.kind === Kind.FIELD && others.length === 0
  if (operation.operation === OperationTypeNode.MUTATION && !isSingle) return null
  if (!isAnsweredAlike(document)) return null
  return measureOperation(schema, document, operation, {}).fields <= MAX_FIELDS ? operation : null
}
