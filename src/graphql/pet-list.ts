import { countPets, listPets, type Pet, type PetFilter } from '../db/pets.ts'
import { MAX_INT64, MIN_INT64 } from '../int64.ts'
import { builder, type Context } from './builder.ts'
import { encodeCursor, type PageRequest, readPageRequest } from './connection.ts'
import { PetObject, PetStatusEnum } from './pet.ts'

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

builder.queryFields((t) => ({
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
