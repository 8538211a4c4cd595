/** How the operations of the contract map onto GraphQL operations. The types generated from both contracts meet here. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { DocumentNode } from 'graphql'
import type { RawJson } from '../base/int64.ts'
import type { operations } from '../generated/openapi-types.ts'
import type { OperationId } from './contract.ts'

/** A body as JSON.stringify gets it: an int64 is a number or, if it is long, raw JSON. */
export type JsonOutput<Value> = Value extends bigint
  ? RawJson
  : Value extends object
    ? { [Name in keyof Value]: JsonOutput<Value[Name]> }
    : Value

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined

/** A request to an operation that is valid according to the contract. */
interface RestRequest<Id extends OperationId> {
  /** As sent; the GraphQL schema decides whether a path parameter names something. */
  path: { [Name in keyof operations[Id]['parameters']['path']]: string }
  query: NonNullable<operations[Id]['parameters']['query']>
  headers: {
    [Name in keyof NonNullable<operations[Id]['parameters']['header']> as Lowercase<Name & string>]?: string
  }
  body: Json<operations[Id]['requestBody']>
}

/** A successful response, whose status is the one in the contract. */
interface RestReply<Body> {
  /** undefined: it has none. */
  body: Body
  /** The URL of the created item, relative to the contract's base URL. */
  location?: string
  /** The URLs of other pages of a list, relative to the contract's base URL, by link relation (RFC 8288). */
  links?: Record<string, string>
}

/** The successful response in the contract. */
type Success<Responses> = Responses[keyof Responses & (200 | 201 | 202 | 204)]

/** How an operation of the contract is executed. Its methods get what `mapOperation` has checked the types of. */
export interface RestOperation {
  document: DocumentNode
  /** Variables that work on the demo. */
  example: object
  toVariables(request: object): object
  toReply(result: object, request: object): RestReply<unknown>
}

export type RestOperations = Readonly<Record<OperationId, RestOperation>>

interface Mapping<Id extends OperationId, Result, Variables> {
  document: TypedDocumentNode<Result, Variables>
  /** Variables that work on the demo. */
  example: Variables
  /** How a valid request becomes the variables of the document. */
  toVariables(request: RestRequest<Id>): Variables
  /** How the result becomes the reply. @throws nothing but a ServiceError */
  toReply(
    result: Result,
    request: RestRequest<Id>,
  ): RestReply<JsonOutput<Json<Success<operations[Id]['responses']>>>>
}

/** Gives the request, the variables, the result and the reply of an operation their types. */
export function mapOperation<Id extends OperationId, Result extends object, Variables extends object>(
  _id: Id,
  mapping: Mapping<Id, Result, Variables>,
): RestOperation {
  return mapping
}

/**
 * The links of a page of a list, to the first and the next one.
 * @param path relative to the contract's base URL
 * @param query all its other parameters, as sent
 */
export function toPageLinks(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  { hasNextPage, endCursor }: { hasNextPage: boolean; endCursor: string | null },
): Record<string, string> {
  const addressOf = (after: string | null) => {
    const parameters = Object.entries<string | number | null | undefined>({ ...query, after }).flatMap(
      ([name, value]) => (value == null ? [] : [[name, String(value)]]),
    )
    return `${path}?${new URLSearchParams(parameters).toString()}`
  }
  return { first: addressOf(null), ...(hasNextPage && { next: addressOf(endCursor) }) }
}
