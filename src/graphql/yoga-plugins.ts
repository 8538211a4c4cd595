import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Context } from './builder.ts'
import { toGraphQLError } from './engine.ts'

/** A JSON number beyond 2^53-1 has been rounded by JSON.parse: as an ID or an Int64 it would be somebody else's. */
export const refuseRoundedNumbers: Plugin = {
  onParams: ({ params }) => {
    const path = findRoundedNumber(params.variables)
    if (path === null) return
    throw new GraphQLError(
      `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`,
      {
        extensions: { http: { status: 400 } },
      },
    )
  },
}

/** Without recursion, since variables may be nested as deeply as a body is long. */
function findRoundedNumber(variables: unknown): string | null {
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
