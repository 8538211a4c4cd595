/** The operations of the contract for pets. */
import { ServiceError } from '../base/service-error.ts'
import { CreatePetDocument, GetPetDocument, ListPetsDocument } from '../generated/operations.ts'
import type { NewPet, PetFieldsFragment } from '../generated/operations.ts'
import type { components, paths } from '../generated/openapi-types.ts'
import { type JsonOutput, toJsonInteger } from '../rest/json-integer.ts'
import type { RestOperation } from '../rest/rest-operation.ts'

/** The path of the list in the contract. */
export const PETS_PATH = '/pets' satisfies keyof paths

type Schemas = components['schemas']

/** What is absent stays absent: graphql-jit makes null of `undefined`. */
function fromNewPet({ name, categoryId, status }: Schemas['NewPet']): NewPet {
  return { name, categoryId: String(categoryId), ...(status !== undefined && { status }) }
}

function toRestPet({ id, name, categoryId, status }: PetFieldsFragment): JsonOutput<Schemas['Pet']> {
  const pet: JsonOutput<Schemas['Pet']> = {
    id: toJsonInteger(id),
    name,
    categoryId: toJsonInteger(categoryId),
  }
  if (status !== null) pet.status = status
  return pet
}

export const petOperations = {
  listPets: {
    document: ListPetsDocument,
    example: { first: 5, filter: { status: ['available'] } },
    costOf: ({ query: { limit } }) => limit,
    toVariables: ({ query: { limit, status, after } }) => ({
      first: limit,
      after,
      filter: status && { status: [status] },
    }),
    toReply: ({ pets: { nodes, pageInfo } }, { query: { limit, status } }) => ({
      body: nodes.map(toRestPet),
      page: { path: PETS_PATH, query: { limit, status }, pageInfo },
    }),
  } satisfies RestOperation<'listPets', typeof ListPetsDocument>,
  createPet: {
    document: CreatePetDocument,
    example: { input: { name: 'Rex', categoryId: '7', status: 'available' } },
    toVariables: ({ body, headers }) => ({
      input: fromNewPet(body),
      idempotencyKey: headers['idempotency-key'],
    }),
    toReply: ({ createPet: pet }) => {
      // It is null only together with an error.
      if (!pet) throw new ServiceError('INTERNAL')
      return { body: toRestPet(pet), location: `${PETS_PATH}/${pet.id}` }
    },
  } satisfies RestOperation<'createPet', typeof CreatePetDocument>,
  getPet: {
    document: GetPetDocument,
    example: { petId: '1' },
    toVariables: ({ path: { petId } }) => ({ petId }),
    toReply: ({ pet }) => {
      if (!pet) throw new ServiceError('PET_NOT_FOUND')
      return { body: toRestPet(pet) }
    },
  } satisfies RestOperation<'getPet', typeof GetPetDocument>,
}
