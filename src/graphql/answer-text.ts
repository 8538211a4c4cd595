/** The text of the GraphQL API's answers. */
import { GraphQLError } from 'graphql'
import { ServiceError } from '../base/errors.ts'
import { isShort, type Job, turns, writeJson } from '../base/turns.ts'
import { toErrorAnswer } from './errors.ts'
import type { Context } from './schema/context.ts'

/** Up to so many bytes of data make a text that is written whole: aliases can repeat them, but not without limit. */
const LITTLE_DATA_BYTES = 4 * 2 ** 10

/** A response whose text is not made yet. */
export interface Answer {
  status: number
  headers: Record<string, string>
  /** In the form that clients receive. */
  result: Result
}

export interface Result {
  errors?: readonly object[] | undefined
  data?: unknown
  extensions?: object | undefined
}

/** Makes the text of an answer, and counts it. If it is too much, the answer is an error, as if the first field had failed and were non-null. */
export async function writeAnswer({ status, headers, result }: Answer, context: Context) {
  try {
    return { status, headers, body: await writeResult(result, context) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const path = Object.keys(result.data ?? {}).slice(0, 1)
    const failed = toErrorAnswer([new GraphQLError(error.message, { path, originalError: error })], context)
    context.outcome.errorCodes = failed.codes
    const body = JSON.stringify({ errors: failed.errors, data: null })
    return { status: failed.status, headers: { ...headers, ...failed.headers }, body }
  }
}

function writeResult(result: Result, { session: { clientName, memory } }: Context): string | Promise<Buffer> {
  if (memory.size <= LITTLE_DATA_BYTES || isShort(result)) {
    const text = JSON.stringify(result)
    memory.complete(Buffer.byteLength(text))
    return text
  }
  return turns.run(clientName, writeLarge(result, memory))
}

function* writeLarge(result: Result, memory: Context['session']['memory']): Job<Buffer> {
  const bytes = yield* writeJson(result, '', (bytes) => memory.holdText(bytes))
  memory.complete(bytes.length)
  return bytes
}
