/** Pets in GraphQL: their types and inputs, then the queries, the mutations and the subscription. */
import { isInt64 } from '../base/int64.ts'
import { catalogue, ServiceError, throwIfInvalid } from '../base/service-error.ts'
import { builder, toInt } from '../graphql/pothos/builder.ts'
import type { Context } from '../graphql/request/context.ts'
import { declareExpectations } from '../graphql/variables/value-expectations.ts'
import { COST_OF_IDS, declareCost, SCAN_COST } from '../graphql/limits/field-cost.ts'
import { defineEvents } from '../graphql/pothos/events.ts'
import { defineConnection, OrderDirection } from '../graphql/pothos/connection.ts'
import { IDEMPOTENCY_KEY_DESCRIPTION, validateIdempotencyKey } from '../resource/writes/idempotency.ts'
import { readNewItem, readPatches } from '../resource/fields/item-validation.ts'
import { readFilter } from '../resource/lists/filters.ts'
import type { ValueCount } from '../resource/lists/list.ts'
import { loadPage } from '../resource/lists/page.ts'
import { PAGE_SIZE } from '../resource/lists/page-arguments.ts'
import { SORT_KEY_LENGTH } from '../resource/fields/text-key.ts'
import {
  MAX_CATEGORIES,
  petList,
  pets,
  petResource,
  petStore,
  MAX_NAME_LENGTH,
  type NewPet,
  type Pet,
  type PetStatus,
} from './pet-resource.ts'

const NAME_LENGTH = MAX_NAME_LENGTH.toLocaleString('en-US')

const PetStatusEnum = builder.enumType('PetStatus', {
  description: 'The availability of a pet, as in the REST API.',
  values: {
    available: { description: 'The pet is for sale.' },
    pending: { description: 'The pet is being sold.' },
    sold: { description: 'The pet has been sold.' },
  } satisfies Record<PetStatus, { description: string }>,
})

/** Relay's interface for objects with an id. Only pets have it: a second type would need ids with a prefix, so that `node` can tell it from a pet. */
const NodeInterface = builder.interfaceRef<{ id: string }>('Node').implement({
  description:
    'An object with a globally unique id, as in the [Relay global object identification specification](https://relay.dev/graphql/objectidentification.htm).',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The globally unique id of the object.' }) }),
  resolveType: () => 'Pet',
})

export const PetObject = builder.objectRef<Pet>('Pet').implement({
  description: 'A pet in the inventory.',
  interfaces: [NodeInterface],
  fields: (t) =>
    ({
      id: t.exposeID('id', {
        description: 'The id that the service assigned: a 64-bit integer in decimal digits.',
      }),
      name: t.exposeString('name', {
        description: `The name of the pet, at most ${NAME_LENGTH} characters.`,
      }),
      categoryId: t.expose('categoryId', {
        type: 'Int64',
        description: "The id of the pet's category. Another service manages categories.",
      }),
      status: t.expose('status', {
        type: PetStatusEnum,
        nullable: true,
        description: 'The availability of the pet; null if it is not set.',
      }),
    }) satisfies Record<keyof Pet, unknown>,
})

const NewPetInput = builder.inputType('NewPet', {
  extensions: declareExpectations(petResource),
  description: 'A pet to create. The service assigns its id.',
  fields: (t) =>
    ({
      name: t.string({
        required: true,
        description: `The name of the pet, at most ${NAME_LENGTH} characters.`,
      }),
      categoryId: t.field({ type: 'Int64', required: true, description: "The id of the pet's category." }),
      status: t.field({
        type: PetStatusEnum,
        description: 'The availability of the pet; not set if omitted.',
      }),
    }) satisfies Record<keyof NewPet, unknown>,
})

const PetChangesInput = builder.inputType('PetChanges', {
  extensions: declareExpectations(petResource),
  description:
    'Fields of a pet and their values. As `input`, these fields are updated: an omitted field stays unchanged, and `{status: null}` unsets ' +
    'the status. As `expected`, they are compared with the pet.',
  fields: (t) =>
    ({
      name: t.string({ description: `The name, at most ${NAME_LENGTH} characters; must not be null.` }),
      categoryId: t.field({ type: 'Int64', description: "The id of the pet's category; must not be null." }),
      status: t.field({
        type: PetStatusEnum,
        description: 'The availability of the pet; null: it is not set.',
      }),
    }) satisfies Record<keyof NewPet, unknown>,
})

const PetFilterInput = builder.inputType('PetFilter', {
  description:
    'Conditions, all of which a pet must meet. An omitted or null condition does not restrict the result. ' +
    '`{status: [available, pending], categoryId: ["7"]}`: the pets of category 7 that are available or pending.',
  fields: (t) =>
    ({
      status: t.field({
        type: [PetStatusEnum],
        description: 'Any of these statuses: `[available, pending]`.',
      }),
      categoryId: t.field({
        type: ['Int64'],
        description: `Any of these categories, at most ${MAX_CATEGORIES} different ones: \`["7", "8"]\`.`,
      }),
      namePrefix: t.string({
        description:
          `The beginning of the name, case-insensitive, at most ${SORT_KEY_LENGTH} characters: \`"re"\` matches Rex. ` +
          'There are no wildcards: `%`, `_` and `\\` match themselves.',
      }),
    }) satisfies Record<keyof typeof petList.description.filters, unknown>,
})

const PetOrderInput = builder.inputType('PetOrder', {
  description: 'How to sort a list: `{field: NAME, direction: ASC}` sorts from A to Z.',
  fields: (t) => ({
    field: t.field({
      type: builder.enumType('PetOrderField', {
        description: 'The fields that a list can be sorted by.',
        values: {
          ID: { description: 'By id, which is the order of creation.' },
          NAME: {
            description: `By the first ${SORT_KEY_LENGTH} characters of the name in lower case, compared by Unicode code point; pets with the same name are sorted by id.`,
          },
        } satisfies Record<keyof typeof petList.description.orders, object>,
      }),
      required: true,
      description: 'The field to sort by.',
    }),
    direction: t.field({ type: OrderDirection, required: true, description: 'The direction.' }),
  }),
})

const PetCountObject = builder.objectRef<ValueCount<PetStatus>>('PetCount').implement({
  description: 'The number of pets with a status.',
  fields: (t) => ({
    status: t.expose('value', {
      type: PetStatusEnum,
      nullable: true,
      description: 'The status; null: it is not set.',
    }),
    count: t.int({
      description: 'The number of pets.',
      resolve: ({ count }) => toInt(count),
    }),
  }),
})

const connection = defineConnection(PetObject, 'Pet', petList)
const events = defineEvents(PetObject, 'Pet', petList)

/** The maximum number of ids in `nodes`, as of items on a page. */
const MAX_NODES = PAGE_SIZE.maximum

const findPet = (_: unknown, { id }: { id: string }, { requestData }: Context) =>
  isInt64(id) ? petStore.find(requestData, id) : null

builder.queryFields((t) => ({
  pet: t.field({
    type: PetObject,
    nullable: true,
    description: 'The pet with this id; null if there is none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the pet.' }) },
    resolve: findPet,
  }),
  node: t.field({
    type: NodeInterface,
    nullable: true,
    description:
      'The object with this id; null if there is none. Relay needs it to refetch an object. Otherwise, use `pet`: every object is a pet.',
    args: { id: t.arg.id({ required: true, description: 'The id of the object.' }) },
    resolve: findPet,
  }),
  nodes: t.field({
    type: [NodeInterface],
    nullable: { list: false, items: true },
    description: `The objects with these ids, in their order, at most ${MAX_NODES}; null where there is none.`,
    args: { ids: t.arg.idList({ required: true, description: 'The ids of the objects.' }) },
    extensions: declareCost(COST_OF_IDS),
    resolve: (_, { ids }, context) => {
      const message = `ids must have at most ${MAX_NODES} ids.`
      throwIfInvalid([ids.length > MAX_NODES ? { argument: 'ids', message } : null])
      return Promise.all(ids.map(async (id) => findPet(null, { id }, context)))
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
      'The number of pets with each status, including statuses that no pet has. The order is: available, pending, sold, any statuses newer than ' +
      'this server, and pets without a status. The numbers add up to `totalCount`; the cost is that of one `totalCount`.',
    args: {
      filter: t.arg({ type: PetFilterInput, description: 'The pets to count: `{categoryId: ["7"]}`.' }),
    },
    extensions: declareCost({ kind: 'few', cost: SCAN_COST }),
    resolve: async (_, { filter }, { requestData }) => {
      const values = await readFilter(petList.description.filters, filter, requestData)
      return petList.countBy(requestData, pets.status, values)
    },
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
