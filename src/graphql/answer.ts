/** The answer to a request: its status, its headers, and what is sent. */
import type { ExecutionResult } from 'graphql'
import { describeError } from './masked-errors.ts'
import { GRAPHQL_RESPONSE } from './media-types.ts'
import type { Context } from './schema/context.ts'

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
