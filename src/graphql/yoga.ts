/** Yoga for GraphQL over HTTP, and its plugins. */
import {
  type DocumentNode,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type GraphQLError,
  type GraphQLSchema,
  validate,
} from 'graphql'
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { isErrorCode } from '../base/errors.ts'
import type { DocumentLimits } from '../config/env.ts'
import { GRAPHQL_PATH } from '../http/routes.ts'
import type { Result } from './answer-text.ts'
import type { CompiledQueries } from './compiled-queries.ts'
import { limitDocuments } from './document-limits.ts'
import { createRequestError, describeInvalidLiterals, errorsToReport, toGraphQLError } from './errors.ts'
import { createSubscribe, type WriteEvent } from './event-texts.ts'
import { executeOperation } from './execute.ts'
import type { Context } from './schema/context.ts'
import { type TrustedDocumentsOptions, useTrustedDocuments } from './trusted-documents.ts'

/** The maximum number of parsed documents in the cache; each is within the limits. */
const MAX_DOCUMENTS = 200

export interface YogaOptions {
  schema: GraphQLSchema
  limits: DocumentLimits
  trusted: TrustedDocumentsOptions
  queries: CompiledQueries
}

/** What Yoga leaves to its caller to send. */
export interface YogaAnswer {
  /** Has the status and the headers. Nothing reads its body, which would only then be made. */
  response: Response
  /** A result, or the events of a subscription; null: Yoga rejected the request without a body. */
  answer: Result | AsyncIterable<WriteEvent> | null
}

type Unsent = Pick<YogaAnswer, 'answer'>

/** Yoga for GraphQL over HTTP, without the features that other parts of the server provide. */
export function createGraphqlYoga({ schema, limits, trusted, queries }: YogaOptions) {
  const yoga = createYoga<Context & { unsent: Unsent }>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: false,
    logging: false,
    // takeResult masks them instead, because it has the request's logger.
    maskedErrors: false,
    parserAndValidationCache: {
      documentCache: new LRUCache<string, DocumentNode>({ max: MAX_DOCUMENTS }),
      errorCache: new LRUCache<string, Error>({ max: MAX_DOCUMENTS }),
      validationCache: true,
    },
    extraParamNames: ['documentId'],
    plugins: [
      useTrustedDocuments(trusted),
      limitDocuments(limits),
      checkParams,
      useGraphqlJs(trusted.hidesSuggestions),
      recordExecutions(queries),
      takeResult,
    ],
  })
  return async (url: string, init: RequestInit, context: Context): Promise<YogaAnswer> => {
    const unsent: Unsent = { answer: null }
    const response = await yoga.fetch(url, init, { ...context, unsent })
    return { response, ...unsent }
  }
}

const checkParams: Plugin = {
  onParams: ({ params: { query, variables } }) => {
    // Such as `{}`: answered with 400 for every media type.
    if (query == null) throw createRequestError('INVALID_REQUEST', 'Send a query, or the documentId of one.')
    // JSON.parse has rounded it, so as an ID it would name a different item.
    const path = findRoundedNumber(variables)
    if (path === null) return
    const message = `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
    const argument = path.replace(/^variables\./, '')
    throw createRequestError('INVALID_VALUE', message, [{ argument, message }])
  },
}

/** Not recursive, since variables may be nested as deeply as a body is long. */
export function findRoundedNumber(variables: unknown): string | null {
  const open: [path: string, value: unknown][] = [['variables', variables]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, value] = next
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [key, child] of Object.entries(value)) {
      // Limited, because paths would grow quadratically.
      open.push([path.length < 200 ? `${path}.${key}` : path, child])
    }
  }
  return null
}

/** Validates and executes documents with graphql-js instead of Yoga's executor, because its errors name the invalid variable. */
function useGraphqlJs(hideSuggestions: boolean): Plugin<Context> {
  const subscribe = createSubscribe()
  return {
    onValidate: ({ setValidationFn }) =>
      setValidationFn((...[schema, document, rules]: Parameters<typeof validate>) =>
        describeInvalidLiterals(document, validate(schema, document, rules, { hideSuggestions })),
      ),
    onExecute: ({ args: { contextValue }, setExecuteFn }) =>
      setExecuteFn((args: ExecutionArgs) => {
        const operation = getOperationAST(args.document, args.operationName)
        const run = () => execute({ ...args, hideSuggestions })
        return operation ? executeOperation(operation, contextValue, run) : run()
      }),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn((args: ExecutionArgs) => subscribe({ ...args, hideSuggestions })),
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

/**
 * Leaves the text to Yoga's caller, who counts it: Yoga only chooses the status and the headers. Adds a code to every error, and
 * masks what clients must not see, such as messages from the JSON parser.
 */
const takeResult: Plugin<Context, Context & { unsent: Unsent }> = {
  onResultProcess: (event) => {
    const { result, serverContext } = event
    const { unsent, outcome } = serverContext
    if (isAsyncIterable(result)) {
      unsent.answer = result as AsyncIterable<unknown> as AsyncIterable<WriteEvent>
      event.setResult(noResults())
    } else if (!Array.isArray(result)) {
      const { data, extensions } = result as ExecutionResult
      const found = errorsToReport(result as ExecutionResult)
      const errors = found?.map((error) => toGraphQLError(error, serverContext))
      outcome.errorCodes = errors?.map(({ extensions }) => extensions.code).filter(isErrorCode) ?? null
      unsent.answer = { ...(errors && { errors: errors.map(toSent) }), data, extensions }
      event.setResult({ ...result, ...(errors && { errors }), stringify: () => '' })
    }
  },
}

async function* noResults(): AsyncGenerator<ExecutionResult, void> {}

function toSent({ message, locations, path, extensions }: GraphQLError): object {
  return { message, locations, path, extensions: { ...extensions, http: undefined } }
}
