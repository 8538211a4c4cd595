/** GraphQL over HTTP by Yoga, and its plugins. */
import {
  type DocumentNode,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type GraphQLSchema,
  specifiedRules,
  subscribe,
  validate,
  ValuesOfCorrectTypeRule,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../base/service-error.ts'
import type { DocumentLimits } from '../config/env.ts'
import type { CompiledQueries } from './compiled-queries.ts'
import { limitDocuments } from './document-limits.ts'
import { executeOperation } from './execute.ts'
import { checkLiterals, findInvalidVariables } from './input-problems.ts'
import { maskErrors } from './masked-errors.ts'
import { multipartSubscriptions } from './multipart.ts'
import type { Params } from './params.ts'
import type { Context } from './schema/context.ts'
import type { TrustedDocumentsOptions } from './trusted-documents.ts'

/** The maximum number of parsed documents in the cache, and of their characters, each of which may take a hundred bytes there. */
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
  /** The parameters, which have been read for the fast path; or why the request is rejected. */
  sent: Params | ServiceError
  /** The result of the fast path, if Yoga has to send it; null: Yoga executes the document. */
  result: ExecutionResult | null
}

export function createGraphqlYoga({ schema, limits, trusted, queries }: YogaOptions) {
  return createYoga<ServerContext>({
    schema,
    logging: false,
    // Fastify has these.
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: false,
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
      useGraphqlJs(trusted.hidesSuggestions),
      recordExecutions(queries),
      multipartSubscriptions(),
      maskErrors(),
    ],
  })
}

function useSentParams(): Plugin<ServerContext, ServerContext> {
  return {
    onRequestParse: ({ serverContext: { sent }, setRequestParser }) =>
      setRequestParser(() => {
        if (sent instanceof ServiceError) throw sent
        return sent
      }),
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

/** Validates and executes documents with graphql-js instead of Yoga's executor, and finds itself what is wrong with values. */
function useGraphqlJs(hideSuggestions: boolean): Plugin<Context> {
  /** @returns null if all are valid */
  const rejectVariables = (args: ExecutionArgs) => {
    const errors = findInvalidVariables(args, hideSuggestions).take(MAX_ERRORS).toArray()
    return errors.length > 0 ? { errors } : null
  }
  return {
    onValidate: ({ setValidationFn }) =>
      setValidationFn((...[schema, document, rules = specifiedRules]: Parameters<typeof validate>) => {
        const ours = rules.map((rule) => (rule === ValuesOfCorrectTypeRule ? checkLiterals : rule))
        return validate(schema, document, ours, { maxErrors: MAX_ERRORS, hideSuggestions })
      }),
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn((args: ExecutionArgs) => {
        const operation = getOperationAST(args.document, args.operationName)
        const run = () => rejectVariables(args) ?? execute({ ...args, hideSuggestions })
        return operation ? executeOperation(operation, run) : run()
      }),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn(
        (args: ExecutionArgs) => rejectVariables(args) ?? subscribe({ ...args, hideSuggestions }),
      ),
  }
}

/** Tells the compiled-query cache which documents are executed, once they have passed validation and all limits. */
function recordExecutions(queries: CompiledQueries): Plugin<Context> {
  const recordOperation = ({ outcome }: Context, { document, operationName }: ExecutionArgs) => {
    outcome.operation = getOperationAST(document, operationName)?.name?.value ?? null
  }
  return {
    onExecute: ({ args }) => {
      const { query } = args.contextValue.params
      const { document } = args as ExecutionArgs
      if (query) queries.recordExecution(query, document)
      recordOperation(args.contextValue, args)
    },
    onSubscribe: ({ args }) => recordOperation(args.contextValue, args),
  }
}
