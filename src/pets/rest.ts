import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { GraphQLSchema } from 'graphql'
import { ServiceError } from '../base/errors.ts'
import {
  CreatePetDocument,
  GetPetDocument,
  ListPetsDocument,
  type PetFieldsFragment,
} from '../generated/operations.ts'
import type { components, operations } from '../generated/rest.ts'
import { prepareOperation } from '../graphql/operation.ts'
import type { Context } from '../graphql/schema/context.ts'
import { toJsonInteger } from '../base/int64.ts'
import type { OperationId } from '../rest/contract.ts'

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined

/** A request to an operation that is valid according to the contract. */
export interface RestRequest<Id extends OperationId> {
  /** As sent; the GraphQL schema decides whether a path parameter names something. */
  path: { [Name in keyof operations[Id]['parameters']['path']]: string }
  query: NonNullable<operations[Id]['parameters']['query']>
  headers: {
    [Name in keyof NonNullable<operations[Id]['parameters']['header']> as Lowercase<Name & string>]?: string
  }
  body: Json<operations[Id]['requestBody']>
}

/** A successful response of an operation, in one of the forms in the contract. */
export type RestReply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201)]: {
    status: Status
    body: Json<operations[Id]['responses'][Status]>
    /** The URL of the created pet, relative to the contract's base URL. */
    location?: string
    /** The URLs of other pages of a list, relative to the contract's base URL, by link relation (RFC 8288). */
    links?: Record<string, string>
  }
}[keyof operations[Id]['responses'] & (200 | 201)]

export type AnyRestReply = { [Id in OperationId]: RestReply<Id> }[OperationId]

export type RestOperation<Id extends OperationId> = (
  request: RestRequest<Id>,
  context: Context,
) => Promise<RestReply<Id>>

/** The GraphQL operation for each operation in the contract. */
export const documents = {
  listPets: ListPetsDocument,
  createPet: CreatePetDocument,
  getPet: GetPetDocument,
} satisfies Record<OperationId, unknown>

/**
 * Every operation in the contract: the GraphQL operation of the same name, how a request becomes its variables, and how its result
 * becomes a reply.
 * @returns functions that throw nothing but a ServiceError
 * @throws Error if a document does not fit the schema
 */
export function prepareOperations(schema: GraphQLSchema): { [Id in OperationId]: RestOperation<Id> } {
  /** Puts the three parts together. The types of both contracts meet here. */
  function operation<Id extends OperationId, Result, Variables extends object>(
    document: TypedDocumentNode<Result, Variables>,
    toVariables: (request: RestRequest<Id>) => Variables,
    toReply: (result: Result, request: RestRequest<Id>) => RestReply<Id>,
  ): RestOperation<Id> {
    const run = prepareOperation(schema, document)
    return async (request, context) => toReply(await run(toVariables(request), context), request)
  }

  return {
    listPets: operation(
      documents.listPets,
      ({ query: { limit, status, after } }) => ({
        first: limit,
        after,
        filter: status && { status: [status] },
      }),
      ({ pets: { nodes, pageInfo } }, { query }) => ({
        status: 200,
        body: nodes.map(toPet),
        links: {
          first: toListAddress(query, null),
          ...(pageInfo.hasNextPage && { next: toListAddress(query, pageInfo.endCursor) }),
        },
      }),
    ),
    createPet: operation(
      documents.createPet,
      ({ body: { name, categoryId, status }, headers }) => ({
        input: { name, categoryId: String(categoryId), status },
        idempotencyKey: headers['idempotency-key'],
      }),
      ({ createPet }) => ({ status: 201, body: toPet(createPet), location: `/pets/${createPet.id}` }),
    ),
    getPet: operation(
      documents.getPet,
      ({ path: { petId } }) => ({ petId }),
      ({ pet }) => {
        if (!pet) throw new ServiceError('PET_NOT_FOUND')
        return { status: 200, body: toPet(pet) }
      },
    ),
  }
}

/** The contract has no null: a status that is not set is omitted. */
function toPet({ id, name, categoryId, status }: PetFieldsFragment): components['schemas']['Pet'] {
  if (!status) return { id: toJsonInteger(id), name, categoryId: toJsonInteger(categoryId) }
  return { id: toJsonInteger(id), name, categoryId: toJsonInteger(categoryId), status }
}

/** The URL of a page of the same list; unknown parameters are dropped. */
function toListAddress({ limit, status }: RestRequest<'listPets'>['query'], after: string | null): string {
  // No valid value contains a character that needs escaping.
  const given = Object.entries({ limit, status, after }).filter(([, value]) => value != null)
  return `/pets?${given.map(([name, value]) => `${name}=${value}`).join('&')}`
}
