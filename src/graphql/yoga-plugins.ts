import { execute, type ExecutionArgs, type ExecutionResult, subscribe, validate } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Context, Log } from './builder.ts'
import { refuseRequest, toGraphQLError } from './engine.ts'
import type { HotDocuments } from './hot-documents.ts'

/** A JSON number beyond 2^53-1 has been rounded by JSON.parse: as an ID or an Int64 it would be somebody else's. */
export const refuseRoundedNumbers: Plugin = {
  onParams: ({ params }) => {
    const path = findRoundedNumber(params.variables)
    if (path === null) return
    const message = `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
    throw refuseRequest('INVALID_VALUE', message, [{ argument: path.replace(/^variables\./, ''), message }])
  },
}

/** Without recursion, since variables may be nested as deeply as a body is long. */
export function findRoundedNumber(variables: unknown): string | null {
  const open: [path: string, value: unknown][] = [['variables', variables]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, value] = next
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [key, child] of Object.entries(value)) {
      // Nobody reads a path of a thousand steps, and each is longer than the one before.
      open.push([path.length < 200 ? `${path}.${key}` : path, child])
    }
  }
  return null
}

/**
 * Runs documents on graphql-js itself instead of Yoga's executor: its errors say which variable is at fault, and it gives away no
 * names that were not asked for ("Did you mean").
 */
export const runOnGraphqlJs: Plugin = {
  onValidate: ({ setValidationFn }) => {
    setValidationFn((...[schema, document, rules]: Parameters<typeof validate>) =>
      validate(schema, document, rules, { hideSuggestions: true }),
    )
  },
  onExecute: ({ setExecuteFn }) =>
    setExecuteFn((args: ExecutionArgs) => execute({ ...args, hideSuggestions: true })),
  onSubscribe: ({ setSubscribeFn }) =>
    setSubscribeFn((args: ExecutionArgs) => subscribe({ ...args, hideSuggestions: true })),
}

/** Takes note of the documents that are executed: whatever could be said against them has been looked at by then. */
export function noticeDocuments(documents: HotDocuments): Plugin<Context> {
  return {
    onExecute: ({ args }) => {
      const { query } = args.contextValue.params
      const { document } = args as ExecutionArgs
      if (query) documents.notice(query, document)
    },
  }
}

/** Gives every error of every answer its code, and masks what is nobody's business: parser messages of JSON among it. */
export const describeErrors: Plugin<Context, Context> = {
  onSubscribe: () => ({
    onSubscribeResult: ({ args }) => ({
      onNext: ({ result, setResult }) => {
        const { log } = args.contextValue
        if (!isAsyncIterable(result) && result.errors) setResult(describeResult(result, log))
      },
    }),
  }),
  onResultProcess: (event) => {
    const { result, serverContext } = event
    if (Array.isArray(result) || isAsyncIterable(result) || !result.errors) return
    event.setResult(describeResult(result, serverContext.log))
  },
}

function describeResult<Result extends Pick<ExecutionResult, 'errors'>>(result: Result, log: Log): Result {
  return { ...result, errors: result.errors?.map((error) => toGraphQLError(error, log)) }
}
