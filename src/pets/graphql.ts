/** What can be asked for and done with pets in GraphQL: the queries, the mutations and the subscription; graphql-types.ts has the types. */
import { isInt64 } from '../base/int64.ts'
import { catalogue } from '../base/error-catalogue.ts'
import { ServiceError, throwIfInvalid } from '../base/service-error.ts'
import { COST_OF_IDS, declareCost, SCAN_COST } from '../graphql/limits/field-cost.ts'
import { builder } from '../graphql/pothos/builder.ts'
import { defineConnection } from '../graphql/pothos/connection.ts'
import { defineEvents } from '../graphql/pothos/events.ts'
import type { Context } from '../graphql/request/context.ts'
import { readNewItem, readPatches } from '../resource/fields/item-validation.ts'
import { PAGE_SIZE } from '../resource/lists/page-arguments.ts'
import { loadCounts, loadPage } from '../resource/page.ts'
import { IDEMPOTENCY_KEY_DESCRIPTION, validateIdempotencyKey } from '../resource/writes/idempotency.ts'
import {
  NewPetInput,
  NodeInterface,
  PetChangesInput,
  PetCountObject,
  PetFilterInput,
  PetObject,
  PetOrderInput,
} from './graphql-types.ts'
import { type Pet, petList, petResource, petStatus, petStore, petTable } from './pet-resource.ts'

const connection = defineConnection(PetObject, 'Pet', petList)
const events = defineEvents(PetObject, 'Pet', petList)

/** The maximum number of ids in `nodes`, as of items on a page. */
const MAX_NODES = PAGE_SIZE.maximum

const findPet = (requestData: Context['requestData'], id: string) =>
  isInt64(id) ? petStore.find(requestData, id) : null

builder.queryFields((t) => ({
  pet: t.field({
    type: PetObject,
    nullable: true,
    description: 'The pet with this id; null if there is none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the pet.' }) },
    resolve: (_, { id }, { requestData }) => findPet(requestData, id),
  }),
  node: t.field({
    type: NodeInterface,
    nullable: true,
    description:
      'The object with this id; null if there is none. Relay needs it to refetch an object. Otherwise, use `pet`: every object is a pet.',
    args: { id: t.arg.id({ required: true, description: 'The id of the object.' }) },
    resolve: (_, { id }, { requestData }) => findPet(requestData, id),
  }),
  nodes: t.field({
    type: [NodeInterface],
    nullable: { list: false, items: true },
    description: `The objects with these ids, in their order, at most ${MAX_NODES}; null where there is none.`,
    args: { ids: t.arg.idList({ required: true, description: 'The ids of the objects.' }) },
    extensions: declareCost(COST_OF_IDS),
    resolve: (_, { ids }, { requestData }) => {
      const message = `ids must have at most ${MAX_NODES} ids.`
      throwIfInvalid([ids.length > MAX_NODES ? { argument: 'ids', message } : null])
      return Promise.all(ids.map(async (id) => findPet(requestData, id)))
    },
  }),
  pets: t.field({
    type: connection.type,
    description:
      'The pets in the inventory, one page at a time. Some pages are equally fast however many pets there are: all pets; some statuses or ' +
      'a few categories, sorted by `ID`; a `namePrefix`, sorted by `NAME`. For any other combination of filters and sort order, the database may have to ' +
      'sort or skip many pets (for a `namePrefix` sorted by `ID`, all of them); if that takes too long, the query fails with the code `TIMEOUT`. ' +
      'REST equivalent: `listPets`, `GET /v1/pets`.',
    args: {
      ...connection.args,
      filter: t.arg({ type: PetFilterInput, description: 'The pets to return: `{status: [available]}`.' }),
      orderBy: t.arg({
        type: PetOrderInput,
        description:
          'How to sort the list; by default `{field: ID, direction: ASC}`, or, with a `namePrefix`, `{field: NAME, direction: ASC}`. ' +
          'A cursor is valid only for the sort order that it came from.',
      }),
    },
    extensions: connection.extensions,
    resolve: (_, args, { requestData }) => loadPage(petList, args, requestData),
  }),
  petCounts: t.field({
    type: [PetCountObject],
    description:
      'The number of pets with each status, including statuses that no pet has. The order is: ' +
      `${petStatus.enumValues.join(', ')}, any statuses newer than ` +
      'this server, and pets without a status. The numbers add up to `totalCount`; the cost is that of one `totalCount`.',
    args: {
      filter: t.arg({ type: PetFilterInput, description: 'The pets to count: `{categoryId: ["7"]}`.' }),
    },
    extensions: declareCost({ kind: 'few', cost: SCAN_COST }),
    resolve: (_, args, { requestData }) => loadCounts(petList, petTable.status, args, requestData),
  }),
}))

const EXPECTED_DESCRIPTION =
  'The values that the pet must have now. An omitted field is not compared; `{status: null}` expects that the status is not set. ' +
  'If a value differs, nothing is changed, and the error has the code `CONFLICT`.'

builder.mutationFields((t) => ({
  createPet: t.field({
    type: PetObject,
    nullable: true,
    description:
      'Creates a pet: `createPet(input: {name: "Rex", categoryId: "7"}) { id }`. ' +
      'REST equivalent: `createPet`, `POST /v1/pets`.',
    args: {
      input: t.arg({ type: NewPetInput, required: true, description: 'The pet to create.' }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY_DESCRIPTION }),
    },
    resolve: (_, { input, idempotencyKey }, { requestData, apiKey }) => {
      const pet = readNewItem(petResource, input, 'input', [validateIdempotencyKey(idempotencyKey)])
      return idempotencyKey == null
        ? petStore.create(requestData, pet)
        : petStore.createOnce(requestData, pet, { owner: apiKey.name, idempotencyKey })
    },
  }),
  updatePet: t.field({
    type: PetObject,
    nullable: true,
    description:
      'Updates a pet and returns the updated pet: `updatePet(id: "42", input: {status: sold}) { status }`. ' +
      'With `expected: {status: available}`, it is updated only if it is still available.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the pet.' }),
      input: t.arg({ type: PetChangesInput, required: true, description: 'The fields to update.' }),
      expected: t.arg({ type: PetChangesInput, description: EXPECTED_DESCRIPTION }),
    },
    resolve: (_, { id, input, expected }, { requestData }) => {
      const patches = readPatches(petResource, { input, expected })
      return writePet(id, (petId) => petStore.update(requestData, petId, patches.input, patches.expected))
    },
  }),
  deletePet: t.field({
    type: PetObject,
    nullable: true,
    description: 'Deletes a pet and returns it as it was: `deletePet(id: "42") { name }`.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the pet.' }),
      expected: t.arg({ type: PetChangesInput, description: EXPECTED_DESCRIPTION }),
    },
    resolve: (_, { id, expected }, { requestData }) => {
      const patches = readPatches(petResource, { expected })
      return writePet(id, (petId) => petStore.delete(requestData, petId, patches.expected))
    },
  }),
}))

/** Updates or deletes a pet. @throws ServiceError PET_NOT_FOUND if `write` finds none, or the id is none that a pet can have */
async function writePet(id: string, write: (id: string) => Promise<Pet | null>): Promise<Pet> {
  const pet = isInt64(id) ? await write(id) : null
  if (pet) return pet
  const { message } = catalogue.PET_NOT_FOUND
  throw new ServiceError('PET_NOT_FOUND', message, { problems: [{ argument: 'id', message }] })
}

builder.subscriptionFields((t) => ({
  petChanged: t.field({
    type: events.type,
    description:
      'The events of all pets that match the filter, or matched it before the event. The stream ends when the server stops, and when events ' +
      'may have been missed: then subscribe again, and refetch what you display.',
    args: {
      filter: t.arg({ type: PetFilterInput, description: 'The pets to watch: `{status: [available]}`.' }),
    },
    subscribe: (_, { filter }, context) => events.subscribe(filter, context),
    resolve: events.resolve,
  }),
}))
