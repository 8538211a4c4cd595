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
import type { OperationId } from './contract.ts'

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined

/** A request of an operation after it has been checked against the contract. */
export interface RestRequest<Id extends OperationId> {
  /** As sent: whether a path names anything is for the graph to say. */
  path: { [Name in keyof operations[Id]['parameters']['path']]: string }
  query: NonNullable<operations[Id]['parameters']['query']>
  body: Json<operations[Id]['requestBody']>
}

/** A successful answer of an operation, in one of the forms that the contract gives it. */
export type RestReply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201)]: {
    status: Status
    body: Json<operations[Id]['responses'][Status]>
    /** The address of the next page, relative to the contract's base address. */
    next?: string
  }
}[keyof operations[Id]['responses'] & (200 | 201)]

export type AnyRestReply = { [Id in OperationId]: RestReply<Id> }[OperationId]

export type RestOperation<Id extends OperationId> = (
  request: RestRequest<Id>,
  context: Context,
) => Promise<RestReply<Id>>

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
      ListPetsDocument,
      ({ query: { limit, status, after } }) => ({
        first: limit,
        after,
        filter: status && { status: [status] },
      }),
      ({ pets: { nodes, pageInfo } }, { query }) => ({
        status: 200,
        body: nodes.map(toPet),
        ...(pageInfo.hasNextPage && { next: `/pets?${toSearch({ ...query, after: pageInfo.endCursor })}` }),
      }),
    ),
    createPet: operation(
      CreatePetDocument,
      ({ body: { name, categoryId, status } }) => ({
        input: { name, categoryId: String(categoryId), status },
      }),
      ({ createPet }) => ({ status: 201, body: toPet(createPet) }),
    ),
    getPet: operation(
      GetPetDocument,
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
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), ...(status && { status }) }
}

function toSearch(parameters: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value != null)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
}
