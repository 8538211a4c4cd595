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
import {
  compileDocument,
  type CompiledDocument,
  hasNullForDefault,
  isAnsweredAlike,
} from '../workarounds/graphql-jit.ts'
import type { DocumentLimits } from '../config/env.ts'
import { findTexts, takeTexts } from './document-texts.ts'
import { executeOperation } from './execute.ts'
import type { Params } from './params.ts'
import { measureOperation } from './query-cost.ts'
import type { Context } from './schema/context.ts'

/** Documents in the cache, compiled or not. A compiled one takes roughly ten kilobytes. */
const MAX_DOCUMENTS = 200
const MAX_FIELDS = 500

interface CompiledQuery {
  operation: OperationDefinitionNode
  /** The document, with variables in place of its texts. */
  document: DocumentNode
  /** @returns the values of these variables; null if a text is not written as in JSON */
  toVariables: (texts: readonly string[]) => Readonly<Record<string, unknown>> | null
  execute: CompiledDocument
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

  /** The number of compiled documents. */
  get size(): number {
    return [...this.#known.values()].filter((known) => typeof known === 'object').length
  }

  /** Records the execution of a document that has passed validation and all limits. */
  recordExecution(text: string, document: DocumentNode): void {
    const { key, texts } = findTexts(text)
    const known = this.#known.get(key)
    if (known === undefined) this.#known.set(key, 'executed once')
    else if (known === 'executed once')
      this.#known.set(key, this.#compile(document, texts.length) ?? 'not compilable')
  }

  /** @param sent the document, with this number of texts */
  #compile(sent: DocumentNode, texts: number): CompiledQuery | null {
    const taken = takeTexts(this.#schema, sent, texts)
    const operation = taken && findCompilable(this.#schema, taken.document)
    if (!operation) return null
    // Two calls of a field with equal texts are one call, but not with different ones.
    if (texts > 0 && validate(this.#schema, taken.document).length > 0) return null
    const execute = compileDocument(this.#schema, taken.document)
    return execute && { operation, ...taken, execute }
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
   * @returns null if Yoga has to answer, since the document is not compiled, or to say what is wrong; then nothing has been executed
   * @throws ServiceError OVERLOADED
   */
  answer(
    { query, operationName, variables }: Pick<Params, 'operationName' | 'variables'> & { query: string },
    method: 'GET' | 'POST',
    context: Context,
  ): ExecutionResult | Promise<ExecutionResult> | null {
    const found = this.find(query)
    if (!found) return null
    const { operation, document, toVariables, execute } = found.compiled
    const name = operation.name?.value
    if (operationName !== undefined && operationName !== name) return null
    if (operation.operation === OperationTypeNode.MUTATION && method === 'GET') return null
    const ofTexts = toVariables(found.texts)
    if (!ofTexts) return null
    const { variableDefinitions = [] } = operation
    // By graphql-js, so that the resolvers receive the same values.
    const sent = { ...variables, ...ofTexts }
    const { variableValues } = getVariableValues(this.#schema, variableDefinitions, sent, { maxErrors: 1 })
    if (!variableValues || hasNullForDefault(operation, variableValues.coerced)) return null
    const { cost } = measureOperation({
      schema: this.#schema,
      document,
      operation,
      variables: variableValues.coerced,
    })
    if (cost > this.#limits.cost) return null
    context.outcome.queryCost = cost
    context.outcome.operation = name ?? null
    context.openCost.hold(context.apiKey.name, cost, context.response)
    return executeOperation(operation, context, () => execute(undefined, context, variableValues.coerced))
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
  return measureOperation({ schema, document, operation, variables: {} }).fields <= MAX_FIELDS
    ? operation
    : null
}
