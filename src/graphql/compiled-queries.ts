import {
  type ASTNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { compileDocument, executeOperation } from './execute.ts'
import { type Params, readVariables } from './params.ts'
import { ANY, measureOperation } from './schema/query-cost.ts'
import type { Context } from './schema/context.ts'

/** Documents in the cache, compiled or not. A compiled one takes roughly ten kilobytes. */
const MAX_DOCUMENTS = 200
const MAX_FIELDS = 500
/** With at most this many characters of names, an answer is not worth measuring by itself. */
const SMALL_TEXT = 16 * 2 ** 10

export interface CompiledQuery {
  operationName: string | undefined
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

  constructor(schema: GraphQLSchema, maxCost: number) {
    this.#schema = schema
    this.#maxCost = maxCost
  }

  /** Records the execution of a document that has passed validation and all limits. */
  recordExecution(text: string, document: DocumentNode): void {
    const known = this.#known.get(text)
    if (known === undefined) this.#known.set(text, 'executed once')
    else if (known === 'executed once') this.#known.set(text, this.#compile(document) ?? 'not compilable')
  }

  find(text: string): CompiledQuery | null {
    const known = this.#known.get(text)
    return typeof known === 'object' ? known : null
  }

  /**
   * The fast path: answers without Yoga, whose pipeline takes several times as long.
   * @returns null, without having executed anything, if Yoga has to answer
   */
  answer(params: Params, context: Context): ExecutionResult | Promise<ExecutionResult> | null {
    const { query, operationName } = params
    const compiled = typeof query === 'string' ? this.find(query) : null
    if (!compiled || (operationName != null && operationName !== compiled.operationName)) return null
    const variables = readVariables(params)
    return variables && compiled.run(variables, context)
  }

  /** The number of compiled documents. */
  get size(): number {
    return [...this.#known.values()].filter((known) => typeof known === 'object').length
  }

  #compile(document: DocumentNode): CompiledQuery | null {
    const operation = findCompilable(this.#schema, document)
    const query = operation && compileDocument(this.#schema, document)
    if (!query) return null
    const defaulted = variablesWithDefault(operation)
    const measure = (variables: Record<string, unknown>) =>
      measureOperation(this.#schema, document, operation, variables)
    const most = measure(variablesOf(operation, ANY))
    const least = measure(variablesOf(operation, null))
    // If the cost depends on a variable at all, any value makes it higher than null does.
    const isFixed = most.cost === least.cost && (most.text === least.text || most.text <= SMALL_TEXT)
    return {
      operationName: operation.name?.value,
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
        const { cost, text } = isFixed ? most : measure(coerced)
        if (cost > this.#maxCost) return null
        context.outcome.queryCost = cost
        context.outcome.operation = operation.name?.value ?? null
        context.session.memory.reserve(text)
        return executeOperation(operation, context, () => query(undefined, context, coerced))
      },
    }
  }
}

/**
 * Decides whether graphql-jit 0.8 would answer a document as graphql-js does; if not, graphql-js executes it. Compilable is
 *
 * - a single query: for mutations and subscriptions, proving equivalence is not worth the effort
 * - without the parts that `hasUnlikeParts` finds
 * - of a few hundred fields at most, with fragments expanded: the compiler would never finish on fragments that double
 *
 * @param document must be valid
 * @returns its operation; null if it must not be compiled
 */
export function findCompilable(
  schema: GraphQLSchema,
  document: DocumentNode,
): OperationDefinitionNode | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [operation] = operations
  if (!operation || operations.length > 1 || operation.operation !== 'query') return null
  if (hasUnlikeParts(document)) return null
  return measureOperation(schema, document, operation, {}).fields <= MAX_FIELDS ? operation : null
}

/** The names of the variables that are null only if a client sends null. */
function variablesWithDefault({ variableDefinitions = [] }: OperationDefinitionNode): string[] {
  return variableDefinitions
    .filter(({ defaultValue }) => defaultValue && defaultValue.kind !== Kind.NULL)
    .map(({ variable }) => variable.name.value)
}

function variablesOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  value: unknown,
): Record<string, unknown> {
  return Object.fromEntries(variableDefinitions.map(({ variable }) => [variable.name.value, value]))
}

function hasUnlikeParts(document: DocumentNode): boolean {
  let isFound = false
  const find = () => void (isFound = true)
  const findVariables = (node: ASTNode) => void visit(node, { Variable: find })
  visit(document, {
    // @skip and @include are compiled into separate branches.
    Directive: find,
    // A missing variable would become null.
    ObjectValue: findVariables,
    ListValue: findVariables,
    // Introspection, or a variable or alias such as __proto__: the compiler makes it the name of a property.
    Name: ({ value }) => {
      if (value.startsWith('__') && value !== '__typename') find()
    },
    // Literals are written into the program, where what follows `__MAGIC_DATE__` and the like becomes a client's own code.
    StringValue: ({ value }) => {
      if (value.includes('__')) find()
    },
  })
  return isFound
}
