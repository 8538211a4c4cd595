/** The types of a pet: what is returned, and what creates, updates and filters it. */
import { builder } from '../../graphql/schema/builder.ts'
import { KEY_LENGTH } from '../../resource/text-key.ts'
import { MAX_CATEGORIES } from '../list.ts'
import type { petList } from '../pet-resource.ts'
import type { NewPet, Pet, PetStatus } from '../table.ts'

export const PetStatusEnum = builder.enumType('PetStatus', {
  description: 'The availability of a pet, as in the REST API.',
  values: {
    available: { description: 'The pet is for sale.' },
    pending: { description: 'The pet is being sold.' },
    sold: { description: 'The pet has been sold.' },
  } satisfies Record<PetStatus, { description: string }>,
})

/** Relay's interface for objects with an id. The ids of a second type need a prefix, so that `node` can tell it from a pet. */
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
      name: t.exposeString('name', { description: 'The name of the pet, at most 1,000 characters.' }),
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
  description: 'A pet to create. The service assigns its id.',
  fields: (t) =>
    ({
      name: t.string({ required: true, description: 'The name of the pet, at most 1,000 characters.' }),
      categoryId: t.field({ type: 'Int64', required: true, description: "The id of the pet's category." }),
      status: t.field({
        type: PetStatusEnum,
        description: 'The availability of the pet; not set if omitted.',
      }),
    }) satisfies Record<keyof NewPet, unknown>,
})

export const PetChangesInput = builder.inputType('PetChanges', {
  description:
    'Fields of a pet and their values. As `input`, they are updated: an omitted field stays unchanged, and `{status: null}` unsets ' +
    'the status. As `expected`, they are compared.',
  fields: (t) =>
    ({
      name: t.string({ description: 'The name, at most 1,000 characters; must not be null.' }),
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
        description: `Any of these categories, at most ${MAX_CATEGORIES}: \`["7", "8"]\`.`,
      }),
      namePrefix: t.string({
        description:
          `The beginning of the name, at most ${KEY_LENGTH} characters, ignoring case: \`"re"\` matches Rex. ` +
          'There are no special characters: `%`, `_` and `\\` stand for themselves.',
      }),
    }) satisfies Record<keyof typeof petList.list.filters, unknown>,
})
