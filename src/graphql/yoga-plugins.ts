import {
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type GraphQLError,
  validate,
} from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Result } from './answer-text.ts'
import type { CompiledQueries } from './compiled-queries.ts'
import { codesOf, createRequestError, errorsToReport, toGraphQLError } from './errors.ts'
import type { EventTexts, WriteEvent } from './event-texts.ts'
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
export function useGraphqlJs(
  events: EventTexts,
  { hideSuggestions }: { hideSuggestions: boolean },
): Plugin<Context> {
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
      setSubscribeFn((args: ExecutionArgs) => events.subscribe({ ...args, hideSuggestions })),
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

/** What Yoga leaves to its caller to send. */
export interface YogaOutcome {
  /** A result, or the events of a subscription; null: Yoga rejected the request without a body. */
  answer: Result | AsyncIterable<WriteEvent> | null
}

/**
 * Leaves the text to Yoga's caller, who counts it: Yoga only chooses the status and the headers. Adds a code to every error, and
 * masks what clients must not see, such as messages from the JSON parser.
 */
export const takeResult: Plugin<Context, Context & { outcome: YogaOutcome }> = {
  onResultProcess: (event) => {
    const { result, serverContext } = event
    const { outcome, report } = serverContext
    if (isAsyncIterable(result)) {
      outcome.answer = result as AsyncIterable<unknown> as AsyncIterable<WriteEvent>
      event.setResult(noResults())
    } else if (!Array.isArray(result)) {
      const { data, extensions } = result as ExecutionResult
      const errors = errorsToReport(result as ExecutionResult)?.map((error) =>
        toGraphQLError(error, serverContext),
      )
      report.errorCodes = errors ? codesOf(errors) : null
      outcome.answer = { ...(errors && { errors: errors.map(toSent) }), data, extensions }
      event.setResult({ ...result, ...(errors && { errors }), stringify: () => '' })
    }
  },
}

async function* noResults(): AsyncGenerator<ExecutionResult, void> {}

/** An error without what is meant for Yoga. */
function toSent({ message, locations, path, extensions }: GraphQLError): object {
  return { message, locations, path, extensions: { ...extensions, http: undefined } }
}
