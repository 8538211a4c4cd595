import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { GraphQLSchema } from 'graphql'
import { ServiceError } from '../errors.ts'
import {
  CreatePetDocument,
  GetPetDocument,
  ListPetsDocument,
  type PetFieldsFragment,
} from '../generated/operations.ts'
import type { components, operations } from '../generated/rest.ts'
import type { Context } from '../graphql/builder.ts'
import { prepareOperation } from '../graphql/engine.ts'
import { toJsonInteger } from '../int64.ts'
import type { OperationId } from './contract.ts'

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined

/** A request of an operation after it has been checked against the contract. */
export interface RestRequest<Id extends OperationId> {
  /** As sent: whether a path names anything is for the graph to say. */
  path: { [Name in keyof operations[Id]['parameters']['path']]: string }
  query: NonNullable<operations[Id]['parameters']['query']>
  headers: {
    [Name in keyof NonNullable<operations[Id]['parameters']['header']> as Lowercase<Name & string>]?: string
  }
  body: Json<operations[Id]['requestBody']>
}

/** A successful answer of an operation, in one of the forms that the contract gives it. */
export type RestReply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201)]: {
    status: Status
    body: Json<operations[Id]['responses'][Status]>
    /** Where the created animal is, relative to the contract's base address. */
    location?: string
    /** Other pages of a list: addresses relative to the contract's base address, by link relation (RFC 8288). */
    links?: Record<string, string>
  }
}[keyof operations[Id]['responses'] & (200 | 201)]

export type AnyRestReply = { [Id in OperationId]: RestReply<Id> }[OperationId]

export type RestOperation<Id extends OperationId> = (
  request: RestRequest<Id>,
  context: Context,
) => Promise<RestReply<Id>>

/** The GraphQL operation of each operation of the contract. */
export const documents = {
  listPets: ListPetsDocument,
  createPet: CreatePetDocument,
  getPet: GetPetDocument,
} satisfies Record<OperationId, unknown>

/**
 * Every operation of the contract: the GraphQL operation of the same name, how a request becomes its variables, and how
 * its result becomes a reply.
 * @returns functions that throw a ServiceError, whatever fails
 * @throws Error when a document does not fit the schema
 */
export function prepareOperations(schema: GraphQLSchema): { [Id in OperationId]: RestOperation<Id> } {
  /** Puts the three parts together; the types of the two contracts meet here. */
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

/** The contract has no null: a status that nobody has said is left out. */
function toPet({ id, name, categoryId, status }: PetFieldsFragment): components['schemas']['Pet'] {
  if (!status) return { id: toJsonInteger(id), name, categoryId: toJsonInteger(categoryId) }
  return { id: toJsonInteger(id), name, categoryId: toJsonInteger(categoryId), status }
}

/** Keeps what was asked for, and goes on after another place; unknown parameters are not repeated. */
function toListAddress({ limit, status }: RestRequest<'listPets'>['query'], after: string | null): string {
  // Once checked, none of them holds a character that a query has to escape.
  const given = Object.entries({ limit, status, after }).filter(([, value]) => value != null)
  return `/pets?${given.map(([name, value]) => `${name}=${value}`).join('&')}`
}
