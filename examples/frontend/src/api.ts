/** GraphQL over fetch, typed by the generated documents. A client library would add a cache; this app has one list, which it reads again. */
import type { TypedDocumentString } from './generated/graphql.ts'

export const API_URL = `${import.meta.env.VITE_API_URL ?? 'http://127.0.0.1:4000'}/graphql`

/** Why one argument is invalid. */
interface Problem {
  /** Its path: `input.name`. */
  argument: string
  message: string
}

interface GraphQLAnswer<Data> {
  data?: Data | null
  errors?: { message: string; extensions?: { code?: string; problems?: Problem[] } }[]
}

/** The first error of an answer. */
export class ApiError extends Error {
  readonly code: string | undefined
  readonly problems: readonly Problem[]
  readonly status: number

  /** @param status of the HTTP response */
  constructor([error]: NonNullable<GraphQLAnswer<unknown>['errors']>, status = 200) {
    super(error?.message)
    this.status = status
    this.code = error?.extensions?.code
    this.problems = error?.extensions?.problems ?? []
  }
}

/** @throws ApiError; TypeError if the server cannot be reached; an AbortError if `signal` is aborted */
export async function request<Data, Variables>(
  apiKey: string,
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal: AbortSignal | null = null,
): Promise<Data> {
  const response = await fetch(API_URL, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      // A read after an event must include the change.
      'cache-control': 'no-cache',
    },
    body: JSON.stringify({ query: document.toString(), variables }),
    signal,
  })
  // Every answer of the server is JSON, also 401 and 503; that of a proxy may not be.
  const { data, errors } = (await response.json()) as GraphQLAnswer<Data>
  const { status } = response
  if (errors || !data) throw new ApiError(errors ?? [{ message: `The server answered ${status}.` }], status)
  return data
}

/** Whether the same request may succeed later: the server was not reached, is unavailable, or has had too many requests. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500 || error.status === 429

/** What is wrong with one field of a form. @param argument its path: `input.name` */
export function problemOf(error: unknown, argument: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  // A path may go on into a list: `filter.categoryId[0]`.
  return error.problems.find(({ argument: path }) => path.replace(/\[\d+\]$/, '') === argument)?.message
}

/** Whether a form shows the error at one of its fields. */
export const isAtField = (error: unknown): boolean =>
  error instanceof ApiError && error.problems.some(({ argument }) => /^(input|filter)\./.test(argument))

/** Whether the pet is no longer what its user saw: it was changed or deleted in the meantime. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && ['CONFLICT', 'PET_NOT_FOUND'].includes(error.code ?? '')

/** A sentence for an error that is not about a field. */
export function describe(error: unknown): string {
  if (isOutdated(error))
    return 'The pet has been changed or deleted in the meantime, so nothing was done. The list shows what is there now.'
  return error instanceof ApiError ? error.message : 'The server cannot be reached.'
}
