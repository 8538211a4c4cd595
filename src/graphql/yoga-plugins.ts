import {
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  subscribe,
  validate,
} from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { limitAnswer } from './answer-size.ts'
import type { CompiledQueries } from './compiled-queries.ts'
import { codesOf, createRequestError, errorsToReport, toGraphQLError } from './errors.ts'
import { describeInvalidLiterals } from './invalid-literals.ts'
import { runOperation } from './run-operation.ts'
import type { Context } from './schema/context.ts'

/** Rejects JSON numbers beyond 2^53-1: JSON.parse has rounded them, so as an ID they would name a different item. */
export const rejectRoundedNumbers: Plugin = {
  onParams: ({ params }) => {
    const path = findRoundedNumber(params.variables)
    if (path === null) return
    const message = `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
    throw createRequestError('INVALID_VALUE', message, [
      { argument: path.replace(/^variables\./, ''), message },
    ])
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

/**
 * Validates and executes documents with graphql-js instead of Yoga's executor, because its errors name the invalid variable.
 * @param hideSuggestions whether to omit "Did you mean", which reveals names in the schema
 */
export function useGraphqlJs({ hideSuggestions }: { hideSuggestions: boolean }): Plugin<Context> {
  return {
    onValidate: ({ setValidationFn }) =>
      setValidationFn((...[schema, document, rules]: Parameters<typeof validate>) =>
        describeInvalidLiterals(document, validate(schema, document, rules, { hideSuggestions })),
      ),
    onExecute: ({ args: { contextValue }, setExecuteFn }) =>
      setExecuteFn((args: ExecutionArgs) => {
        const operation = getOperationAST(args.document, args.operationName)
        const run = () => execute({ ...args, hideSuggestions })
        return operation ? runOperation(operation, contextValue, run) : run()
      }),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn((args: ExecutionArgs) => subscribe({ ...args, hideSuggestions })),
  }
}

/** Answers a request without a query, such as `{}` or `{"query": null}`, with 400 for every media type. */
export const requireQuery: Plugin = {
  onParams: ({ params: { query } }) => {
    if (query == null) throw createRequestError('INVALID_REQUEST', 'Send a query, or the documentId of one.')
  },
}

/** Tells the compiled-query cache which documents are executed, once they have passed validation and all limits. */
export function noteExecutions(queries: CompiledQueries): Plugin<Context> {
  return {
    onExecute: ({ args }) => {
      const { query } = args.contextValue.params
      const { document } = args as ExecutionArgs
      if (query) queries.note(query, document)
      reportOperation(args.contextValue, args)
    },
    onSubscribe: ({ args }) => reportOperation(args.contextValue, args),
  }
}

function reportOperation({ report }: Context, { document, operationName }: ExecutionArgs): void {
  report.operation = getOperationAST(document, operationName)?.name?.value ?? null
}

/** Replaces an answer that is too large with an error. */
export const limitAnswers: Plugin<Context> = {
  onExecute: ({ args }) => ({
    onExecuteDone: ({ result, setResult }) => {
      const { session } = args.contextValue
      const limited = isAsyncIterable(result) ? null : limitAnswer(result, session.memory)
      if (limited) setResult(limited)
    },
  }),
}

/** Adds to each event what a subscriber needs to refetch from any server, if standbys answer reads. */
export const addConsistencyTokens: Plugin<Context> = {
  onSubscribe: () => ({
    onSubscribeResult: ({ args: { contextValue } }) => ({
      onNext: ({ result, setResult }) => {
        const { consistencyToken } = contextValue.session
        if (isAsyncIterable(result) || consistencyToken === null) return
        setResult({ ...result, extensions: { ...result.extensions, consistencyToken } })
      },
    }),
  }),
}

/** Adds a code to every error, and masks what clients must not see, such as messages from the JSON parser. */
export const maskErrors: Plugin<Context, Context> = {
  onSubscribe: () => ({
    onSubscribeResult: ({ args }) => ({
      onNext: ({ result, setResult }) => {
        if (!isAsyncIterable(result) && result.errors) setResult(maskResult(result, args.contextValue))
      },
    }),
  }),
  onResultProcess: (event) => {
    const { result, serverContext } = event
    if (Array.isArray(result) || isAsyncIterable(result) || !result.errors) return
    event.setResult(maskResult(result, serverContext))
  },
}

function maskResult<Result extends Pick<ExecutionResult, 'data' | 'errors'>>(
  result: Result,
  context: Context,
): Result {
  const errors = errorsToReport(result)?.map((error) => toGraphQLError(error, context))
  context.report.errorCodes = errors ? codesOf(errors) : null
  return { ...result, errors }
}
