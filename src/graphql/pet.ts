import { countPets, createPet, deletePet, findPet, listPets, updatePet } from '../db/pets.ts'
import type { Pet, PetChanges, PetFilter, PetStatus } from '../db/pets.ts'
import { ServiceError } from '../errors.ts'
import { MAX_INT64, MIN_INT64, parseInt64 } from '../int64.ts'
import { builder, type Context } from './builder.ts'
import { encodeCursor, type PageRequest, readPageRequest } from './connection.ts'

const PetStatusEnum = builder.enumType('PetStatus', {
  description: 'Whether an animal can be bought, in the words of the REST contract.',
  values: {
    available: { description: 'The animal can be bought.' },
    pending: { description: 'Somebody is about to buy the animal.' },
    sold: { description: 'The animal has been bought.' },
  } satisfies Record<PetStatus, { description: string }>,
})

const PetObject = builder.objectRef<Pet>('Pet').implement({
  description: 'An animal of the inventory.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'What the service calls the animal: a 64-bit integer in decimal digits, such as `"42"`.',
    }),
    name: t.exposeString('name', { description: 'What people call the animal, such as `"Rex"`.' }),
    categoryId: t.expose('categoryId', {
      type: 'Int64',
      description: 'The category that the animal belongs to, such as `"7"`. Categories are kept elsewhere.',
    }),
    status: t.expose('status', {
      type: PetStatusEnum,
      nullable: true,
      description: 'Whether the animal can be bought, such as `available`; null when nobody has said.',
    }),
  }),
})

/** One page of the list, and what is needed to say what lies around it. */
interface PetPage {
  filter: PetFilter
  request: PageRequest
  pets: Pet[]
  /** Whether the list goes on behind the end that the page was not counted from. */
  more: boolean
}

const PetEdge = builder.objectRef<Pet>('PetEdge').implement({
  description: 'An animal, and where it stands in the list.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The place of this animal in the list, for `after` and `before`; opaque.',
      resolve: (pet) => encodeCursor(pet.id),
    }),
    node: t.field({ type: PetObject, description: 'The animal.', resolve: (pet) => pet }),
  }),
})

const PageInfo = builder.objectRef<PetPage>('PageInfo').implement({
  description: 'What lies around a page, as the Relay cursor connections specification has it.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether there are animals after this page.',
      resolve: (page, _, context) => (page.request.from === 'start' ? page.more : liesAfter(page, context)),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether there are animals before this page.',
      resolve: (page, _, context) => (page.request.from === 'end' ? page.more : liesBefore(page, context)),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first animal of this page; null when the page is empty.',
      resolve: ({ pets: [first] }) => first && encodeCursor(first.id),
    }),
    endCursor: t.string({
      nullable: true,
      description:
        'The cursor of the last animal of this page, to be passed on as `after`; null when the page is empty.',
      resolve: ({ pets }) => {
        const last = pets.at(-1)
        return last && encodeCursor(last.id)
      },
    }),
  }),
})

const PetConnection = builder.objectRef<PetPage>('PetConnection').implement({
  description: 'One page of the list of animals.',
  fields: (t) => ({
    edges: t.field({
      type: [PetEdge],
      description: 'The animals of this page, each with its cursor.',
      resolve: (page) => page.pets,
    }),
    nodes: t.field({
      type: [PetObject],
      description: 'The animals of this page.',
      resolve: (page) => page.pets,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'What lies around this page.',
      resolve: (page) => page,
    }),
    totalCount: t.int({
      description: 'How many animals there are on all pages together; counted only when it is asked for.',
      resolve: (page, _, context) => countPets(context.database, page.filter),
    }),
  }),
})

const PetFilterInput = builder.inputType('PetFilter', {
  description: 'Which animals to list; what is left out or null does not matter.',
  fields: (t) => ({
    status: t.field({
      type: [PetStatusEnum],
      description: 'Animals with any of these statuses, such as `[available, pending]`.',
    }),
  }),
})

const NewPetInput = builder.inputType('NewPet', {
  description: 'A new animal. The service gives it its id.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What people call the animal, such as `"Rex"`.' }),
    categoryId: t.field({
      type: 'Int64',
      required: true,
      description: 'The category that the animal belongs to, such as `"7"`.',
    }),
    status: t.field({
      type: PetStatusEnum,
      description: 'Whether the animal can be bought, such as `available`; stays unset when left out.',
    }),
  }),
})

const PetChangesInput = builder.inputType('PetChanges', {
  description: 'What to change of an animal; what is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'The new name, such as `"Rex"`; not null.' }),
    categoryId: t.field({ type: 'Int64', description: 'The new category, such as `"7"`; not null.' }),
    status: t.field({ type: PetStatusEnum, description: 'The new status, such as `sold`; null unsets it.' }),
  }),
})

builder.queryFields((t) => ({
  pet: t.field({
    type: PetObject,
    nullable: true,
    description: 'One animal; null when no animal has the id.',
    args: { id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }) },
    resolve: (_, args, context) => {
      const id = parseInt64(args.id)
      return id === null ? null : findPet(context.database, id)
    },
  }),
  pets: t.field({
    type: PetConnection,
    description: 'The animals of the inventory, oldest first, a page at a time.',
    args: {
      first: t.arg.int({
        description:
          'How many animals at most, from the start: 1 to 100, such as `10`; 20 when nothing is said.',
      }),
      after: t.arg.string({
        description: 'Only animals after this cursor: the `endCursor` of the page before.',
      }),
      last: t.arg.int({
        description:
          'How many animals at most, from the end: 1 to 100, such as `10`; not together with `first`.',
      }),
      before: t.arg.string({
        description: 'Only animals before this cursor: the `startCursor` of the page behind.',
      }),
      filter: t.arg({ type: PetFilterInput, description: 'Which animals, such as `{status: [available]}`.' }),
    },
    resolve: async (_, args, context): Promise<PetPage> => {
      const request = readPageRequest(args)
      const filter = { status: args.filter?.status ?? undefined }
      const pets = await listPets(context.database, { ...request, filter, limit: request.limit + 1 })
      const more = pets.length > request.limit
      if (more) pets.splice(request.from === 'start' ? -1 : 0, 1)
      return { filter, request, pets, more }
    },
  }),
}))

builder.mutationFields((t) => ({
  createPet: t.field({
    type: PetObject,
    description: 'Adds an animal to the inventory.',
    args: { input: t.arg({ type: NewPetInput, required: true, description: 'The new animal.' }) },
    resolve: (_, { input }, context) =>
      createPet(context.database, {
        name: readName(input.name),
        categoryId: BigInt(input.categoryId),
        status: input.status ?? null,
      }),
  }),
  updatePet: t.field({
    type: PetObject,
    description: 'Changes an animal.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }),
      input: t.arg({ type: PetChangesInput, required: true, description: 'What to change.' }),
    },
    resolve: async (_, { id, input }, context) => {
      const changes: PetChanges = {}
      if (input.name !== undefined) changes.name = readName(refuseNull('name', input.name))
      if (input.categoryId !== undefined)
        changes.categoryId = BigInt(refuseNull('categoryId', input.categoryId))
      if (input.status !== undefined) changes.status = input.status
      return requirePet(id, (petId) => updatePet(context.database, petId, changes))
    },
  }),
  deletePet: t.field({
    type: PetObject,
    description: 'Takes an animal out of the inventory, and answers it as it was.',
    args: { id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }) },
    resolve: (_, { id }, context) => requirePet(id, (petId) => deletePet(context.database, petId)),
  }),
}))

async function liesAfter({ filter, request, pets }: PetPage, { database }: Context): Promise<boolean> {
  const last = pets.at(-1)?.id
  if (request.before === undefined) return false
  // An empty page has no last animal: then whatever is not before `before` lies behind it.
  const after = last ?? (request.before > MIN_INT64 ? request.before - 1n : undefined)
  return (await listPets(database, { filter, after, limit: 1, from: 'start' })).length > 0
}

async function liesBefore({ filter, request, pets }: PetPage, { database }: Context): Promise<boolean> {
  const first = pets[0]?.id
  if (request.after === undefined) return false
  const before = first ?? (request.after < MAX_INT64 ? request.after + 1n : undefined)
  return (await listPets(database, { filter, before, limit: 1, from: 'end' })).length > 0
}

/** Postgres keeps neither U+0000 nor half a surrogate pair; to drop them in silence would change the name. */
function readName(name: string): string {
  if (name.includes('\0') || !name.isWellFormed()) {
    throw new ServiceError(
      'INVALID_VALUE',
      'name must be a string without U+0000 and without lone surrogates.',
      {
        field: 'name',
      },
    )
  }
  return name
}

function refuseNull<Value>(field: string, value: Value | null): Value {
  if (value === null) throw new ServiceError('INVALID_VALUE', `${field} must not be null.`, { field })
  return value
}

async function requirePet(id: string, find: (id: bigint) => Promise<Pet | null>): Promise<Pet> {
  const petId = parseInt64(id)
  const pet = petId === null ? null : await find(petId)
  if (!pet) throw new ServiceError('PET_NOT_FOUND', undefined, { field: 'id' })
  return pet
}
