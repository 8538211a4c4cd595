/** GraphQL over HTTP by Yoga, and its plugins. */
import {
  type DocumentNode,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type GraphQLSchema,
  subscribe,
  validate,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import type { DocumentLimits } from '../config/variable-parsers.ts'
import type { CompiledQueries } from './compiled-queries.ts'
import { limitDocuments } from './document-limits.ts'
import { executeOperation } from './execute.ts'
import { findInvalidVariables } from './invalid-variables.ts'
import { maskErrors } from './masked-errors.ts'
import { multipartSubscriptions } from './multipart.ts'
import type { Params } from './params.ts'
import type { Context } from './resource-types/context.ts'
import type { TrustedDocumentsOptions } from './trusted-documents.ts'

/** The maximum number of parsed documents in the cache, and of their characters, each of which takes many bytes there. */
const MAX_DOCUMENTS = 200
const MAX_CHARACTERS = 256 * 2 ** 10
/** The maximum number of errors in a document, or in its variables: each takes time, and prints what is wrong. */
const MAX_ERRORS = 10

export interface YogaOptions {
  schema: GraphQLSchema
  limits: DocumentLimits
  trusted: TrustedDocumentsOptions
  queries: CompiledQueries
}

/** What Yoga receives with a request. */
interface ServerContext extends Context {
  params: Params & { query: string }
  /** The media types that the client accepts, best first. */
  accepted: readonly string[]
  /** The result of the fast path, if Yoga has to send it; null: Yoga executes the document. */
  result: ExecutionResult | null
}

export function createGraphqlYoga({ schema, limits, trusted, queries }: YogaOptions) {
  return createYoga<ServerContext>({
    schema,
    logging: false,
    // Fastify does this.
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: false,
    // Node's own classes: a request with HEAD cancels its stream before it is read, which those of Yoga do not support.
    fetchAPI: { ReadableStream, Response },
    // Yoga's own masking does not know the request, whose id is in the log.
    maskedErrors: false,
    parserAndValidationCache: {
      documentCache: createCache<DocumentNode>(),
      errorCache: createCache<Error>(),
      validationCache: true,
    },
    extraParamNames: ['documentId'],
    plugins: [
      useSentParams(),
      limitDocuments(limits),
      useGraphqlJs(queries, trusted.only),
      multipartSubscriptions(),
      maskErrors(),
    ],
  })
}

type Execution = ExecutionArgs & { contextValue: ServerContext }
type SetFunction = (fn: () => unknown) => void

function useSentParams(): Plugin<ServerContext, ServerContext> {
  return {
    onRequestParse: ({ serverContext: { params }, setRequestParser }) => setRequestParser(() => params),
    onParams: ({ context, setResult }) => {
      if (context.result) setResult(context.result)
    },
  }
}

/** By the text of a document. */
function createCache<Value extends object>() {
  return new LRUCache<string, Value>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
  })
}

/**
 * Validates and executes documents with graphql-js instead of Yoga's executor, and records what is executed: all that has passed
 * validation and the limits.
 */
function useGraphqlJs(queries: CompiledQueries, hideSuggestions: boolean): Plugin<ServerContext> {
  /** @returns null if all are valid */
  const rejectVariables = (args: ExecutionArgs) => {
    const errors = findInvalidVariables(args, { hideSuggestions, maxErrors: MAX_ERRORS })
    return errors.length > 0 ? { errors } : null
  }
  const begin = ({ document, operationName, contextValue: { outcome } }: Execution) => {
    const operation = getOperationAST(document, operationName)
    // Yoga has made sure of this.
    if (!operation) throw new Error('There is no operation')
    outcome.operation = operation.name?.value ?? null
    return operation
  }
  return {
    onValidate: ({ setValidationFn }) =>
      setValidationFn((...[schema, document, rules]: Parameters<typeof validate>) =>
        validate(schema, document, rules, { maxErrors: MAX_ERRORS, hideSuggestions }),
      ),
    onExecute({ args, setExecuteFn }: { args: Execution; setExecuteFn: SetFunction }) {
      const operation = begin(args)
      const context = args.contextValue
      queries.recordExecution(context.params.query, args.document)
      const run = () => rejectVariables(args) ?? execute({ ...args, hideSuggestions })
      setExecuteFn(() => executeOperation(operation, context, run))
    },
    onSubscribe({ args, setSubscribeFn }: { args: Execution; setSubscribeFn: SetFunction }) {
      begin(args)
      setSubscribeFn(() => rejectVariables(args) ?? subscribe({ ...args, hideSuggestions }))
    },
  }
}
