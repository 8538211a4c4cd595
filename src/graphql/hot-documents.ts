import { type DocumentNode, type GraphQLError, type GraphQLSchema, getVariableValues } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Context } from './builder.ts'
import { findCompilable } from './compilable.ts'
import { compileDocument } from './engine.ts'

/** Texts that are kept, compiled or not yet: each is within the limits, and compiled comes to some ten kilobytes. */
const MAX_KEPT = 200

/** A query that comes again, compiled. */
export interface HotDocument {
  operationName: string | undefined
  /** @returns its data, or its errors; null when the variables do not fit: nothing has been done then */
  run(
    variables: Readonly<Record<string, unknown>>,
    context: Context,
  ): Promise<{ data?: unknown; errors?: readonly GraphQLError[] | undefined } | null>
}

/**
 * Finds out which documents come again, and compiles those that graphql-jit answers as graphql-js does. To compile takes longer
 * than to run once, so that what is made up for one request is never compiled.
 */
export class HotDocuments {
  readonly #schema: GraphQLSchema
  readonly #maxCost: number
  readonly #known = new LRUCache<string, HotDocument | 'seen once' | 'not alike'>({ max: MAX_KEPT })

  /** @param maxCost what a document may come to, whatever its variables are */
  constructor(schema: GraphQLSchema, maxCost: number) {
    this.#schema = schema
    this.#maxCost = maxCost
  }

  /** Takes note of a document that has passed validation and all limits, and is being executed. */
  notice(text: string, document: DocumentNode): void {
    const known = this.#known.get(text)
    if (known === undefined) this.#known.set(text, 'seen once')
    else if (known === 'seen once') this.#known.set(text, this.#compile(document) ?? 'not alike')
  }

  find(text: string): HotDocument | null {
    const known = this.#known.get(text)
    return typeof known === 'object' ? known : null
  }

  #compile(document: DocumentNode): HotDocument | null {
    const operation = findCompilable(document, this.#maxCost)
    const query = operation && compileDocument(this.#schema, document)
    if (!query) return null
    return {
      operationName: operation.name?.value,
      run: async (variables, context) => {
        // By graphql-js: the compiled query finds its values as graphql-js would hand them to the resolvers.
        const { variableValues } = {
          variableValues: undefined,
          ...getVariableValues(this.#schema, operation.variableDefinitions ?? [], variables),
        }
        return variableValues ? query(undefined, context, variableValues.coerced) : null
      },
    }
  }
}
