/** The answer to a request: its status, its headers and its text. */
import { type ExecutionResult, GraphQLError } from 'graphql'
import { ServiceError } from '../base/service-error.ts'
import { type Steps, turns } from '../base/turns.ts'
import { writeJson } from '../base/write-json.ts'
import { describeError } from './masked-errors.ts'
import { GRAPHQL_RESPONSE } from './media-types.ts'
import type { Context } from './schema/context.ts'

/** Up to this many bytes of data, the text is written in one step: aliases can repeat data, but not without limit. */
const LITTLE_DATA_BYTES = 8 * 2 ** 10

/** What is sent. */
interface Result {
  errors?: readonly object[]
  data?: unknown
}

/** Converts a result to what is sent, and records its errors for the log. @param type of the answer: its Content-Type */
export function toAnswer({ errors, data }: ExecutionResult, type: string, context: Context) {
  if (!errors) return { status: 200, headers: { 'content-type': type }, result: { data } }
  // If an error made all data null, report only that one, the last: how many others were found before it depends on the order in which
  // the database answers.
  const reported = data === null ? errors.slice(-1) : errors
  const described = reported.map((error) => describeError(error, context))
  const https = described.flatMap(({ http }) =>
    http && (!http.spec || type === GRAPHQL_RESPONSE) ? http : [],
  )
  context.outcome.errorCodes = described.map(({ code }) => code)
  const headers: Record<string, string> = { 'content-type': type }
  return {
    status: Math.max(200, ...https.map(({ status = 200 }) => status)),
    headers: Object.assign(headers, ...https.map(({ headers }) => headers)) as typeof headers,
    result: { errors: described.map(({ sent }) => sent), data },
  }
}

/** The same with its text, which is counted. If that is too much, the answer is an error, as if the first field were non-null and had failed. */
export async function writeAnswer(executed: ExecutionResult, type: string, context: Context) {
  const { status, headers, result } = toAnswer(executed, type, context)
  try {
    return { status, headers, body: await writeResult(result, context) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const path = Object.keys(executed.data ?? {}).slice(0, 1)
    const errors = [new GraphQLError(error.message, { path, originalError: error })]
    const failed = toAnswer({ errors, data: null }, type, context)
    return { status: failed.status, headers: failed.headers, body: JSON.stringify(failed.result) }
  }
}

function writeResult(
  result: Result,
  { requestData: { clientName, memory } }: Context,
): string | Promise<Buffer> {
  if (memory.size <= LITTLE_DATA_BYTES) {
    const text = JSON.stringify(result)
    memory.complete(Buffer.byteLength(text))
    return text
  }
  return turns.runSteps(clientName, writeLarge(result, memory))
}

function* writeLarge(result: Result, memory: Context['requestData']['memory']): Steps<Buffer> {
  const bytes = yield* writeJson(result, '', (bytes) => memory.holdText(bytes))
  memory.complete(bytes.length)
  return bytes
}
