/** What an operation of the contract is: a GraphQL operation, and how a request and its reply are made from it. */
import type { ResultOf, VariablesOf } from '@graphql-typed-document-node/core'
import type { DocumentNode } from 'graphql'
import type { operations } from '../generated/openapi-types.ts'
import type { OperationId } from './contract.ts'
import type { JsonOutput } from './json-integer.ts'
import type { Page } from './links.ts'

/**
 * An operation of the contract, with the types that are generated from both contracts:
 * `{ document: GetItemDocument, … } satisfies RestOperation<'getItem', typeof GetItemDocument>`
 */
export type RestOperation<Id extends OperationId, Document extends DocumentNode> = {
  document: Document
} & Operation<
  VariablesOf<Document>,
  ResultOf<Document>,
  RestRequest<Id>,
  JsonOutput<Json<Success<operations[Id]['responses']>>>,
  RestRequest<Id>['query']
>

/** All operations, as their routes run them: what they get has been validated, so it has the types above. */
export type RestOperations = Readonly<Record<OperationId, Operation>>

/** With methods, not properties: TypeScript compares their parameters less strictly, so that each operation is one of RestOperations. */
interface Operation<
  Variables = object,
  Result = object,
  Request = object,
  Body = unknown,
  Query = Record<string, string | number | undefined>,
> {
  document: DocumentNode
  /** Variables that work on the demo. */
  example: Variables
  /** What counts as open cost until the reply has been sent; absent or undefined: 1. */
  costOf?(request: Request): number | undefined
  /** How a valid request becomes the variables of the document. */
  toVariables(request: Request): Variables
  /** How the result becomes the reply. @throws nothing but a ServiceError */
  toReply(result: Result, request: Request): Reply<Body, Query>
}

/** A request that is valid according to the contract. */
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
interface Reply<Body, Query> {
  /** undefined: it has none. */
  body: Body
  /** The URL of the created item, relative to the contract's base URL. */
  location?: string
  /** Which page of a list the body is. */
  page?: Page<Query>
}

/** The successful response in the contract. */
type Success<Responses> = Responses[keyof Responses & (200 | 201 | 202 | 204)]

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined
