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

  constructor([error]: NonNullable<GraphQLAnswer<unknown>['errors']>) {
    super(error?.message)
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
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: document.toString(), variables }),
    signal,
  })
  // Every answer of the server is JSON, also 401 and 503; that of a proxy may not be.
  const { data, errors } = (await response.json()) as GraphQLAnswer<Data>
  if (errors || !data) throw new ApiError(errors ?? [{ message: `The server answered ${response.status}.` }])
  return data
}

/** What is wrong with one field of a form. @param argument its path: `input.name` */
export function problemOf(error: unknown, argument: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  // A path may go on into a list: `filter.categoryId[0]`.
  const problem = error.problems.find(({ argument: path }) => path.replace(/\[\d+\]$/, '') === argument)
  // A value that its type does not allow is reported with the name of the variable, which users do not know.
  return problem?.message.replace(/^Variable "\$\w+" has invalid value at [^:]+: /, '')
}

/** Whether a form shows the error at one of its fields. */
export const isAtField = (error: unknown): boolean => error instanceof ApiError && error.problems.length > 0

/** A sentence for an error that belongs to no field. */
export function describe(error: unknown): string {
  return error instanceof ApiError ? error.message : 'The server cannot be reached.'
}
