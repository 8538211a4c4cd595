import { GraphQLError, parse, type ParseOptions, type Source } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Context } from './builder.ts'
import { toGraphQLError } from './engine.ts'

/** Tokens of a document: far more than introspection needs, far fewer than it takes to exhaust the parser's stack. */
const MAX_TOKENS = 2_000

/** Refuses a document that is too long before it is parsed. */
export const limitTokens: Plugin = {
  onParse: ({ setParseFn }) => {
    setParseFn((source: string | Source, options?: ParseOptions) =>
      parse(source, { ...options, maxTokens: MAX_TOKENS }),
    )
  },
}

/** A JSON number beyond 2^53-1 has been rounded by JSON.parse: as an ID or an Int64 it would be somebody else's. */
export const refuseRoundedNumbers: Plugin = {
  onParams: ({ params }) => {
    const path = findRoundedNumber(params.variables, 'variables')
    if (path === null) return
    throw new GraphQLError(
      `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`,
      {
        extensions: { http: { status: 400 } },
      },
    )
  },
}

function findRoundedNumber(value: unknown, path: string): string | null {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return path
  if (typeof value !== 'object' || value === null) return null
  for (const [key, child] of Object.entries(value)) {
    const found = findRoundedNumber(child, `${path}.${key}`)
    if (found !== null) return found
  }
  return null
}

/** Gives every error of every answer its code, and masks what is nobody's business: parser messages of JSON among it. */
export const describeErrors: Plugin<object, Context> = {
  onResultProcess: (event) => {
    const {
      result,
      serverContext: { log },
    } = event
    if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors) return
    event.setResult({ ...result, errors: result.errors.map((error) => toGraphQLError(error, log)) })
  },
}
