/** What pets look like in GraphQL: their types and inputs; graphql.ts has the queries, the mutations and the subscription. */
import { builder, toInt } from '../graphql/pothos/builder.ts'
import { OrderDirection } from '../graphql/pothos/connection.ts'
import { declareExpectations } from '../graphql/variables/value-expectations.ts'
import { SORT_KEY_LENGTH } from '../resource/fields/text-key.ts'
import type { ValueCount } from '../resource/list.ts'
import {
  MAX_CATEGORIES,
  MAX_NAME_LENGTH,
  type NewPet,
  type Pet,
  type petList,
  petResource,
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
export const NodeInterface = builder.interfaceRef<{ id: string }>('Node').implement({
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

export const NewPetInput = builder.inputType('NewPet', {
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

export const PetChangesInput = builder.inputType('PetChanges', {
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

export const PetFilterInput = builder.inputType('PetFilter', {
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

export const PetOrderInput = builder.inputType('PetOrder', {
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

export const PetCountObject = builder.objectRef<ValueCount<PetStatus>>('PetCount').implement({
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
