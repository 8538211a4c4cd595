import { countPets, type ListedPet, listPets } from '../db/pet-list.ts'
import type { PetFilter, PetOrder, PetPosition } from '../db/pet-range.ts'
import { MAX_INT64, MIN_INT64 } from '../int64.ts'
import { builder, type Context } from './builder.ts'
import { encodeCursor, type PageRequest, readPageRequest } from './connection.ts'
import { checkFilter, PetFilterInput, readFilter } from './pet-filter.ts'
import { PetOrderInput } from './pet-order.ts'
import { PetObject } from './pet.ts'

/** One page of the list, and what is needed to say what lies around it. */
interface PetPage {
  filter: PetFilter
  order: PetOrder
  request: PageRequest
  listed: ListedPet[]
  /** Whether the list goes on behind the end that the page was not counted from. */
  more: boolean
}

const PetEdge = builder.objectRef<ListedPet>('PetEdge').implement({
  description: 'An animal, and where it stands in the list: `{ cursor node { name } }`.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The place of this animal in the list, for `after` and `before`; opaque.',
      resolve: encodeCursor,
    }),
    node: t.field({ type: PetObject, description: 'The animal: `{ id name }`.', resolve: (pet) => pet }),
  }),
})

const PageInfo = builder.objectRef<PetPage>('PageInfo').implement({
  description:
    'What lies around a page, as the [Relay cursor connections specification](https://relay.dev/graphql/connections.htm) has it: `{ hasNextPage endCursor }` to walk forwards.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description:
        'Whether there are animals after this page: then `after: endCursor` gets them. A walk forwards ends at `before`.',
      resolve: (page, _, context) => (page.request.from === 'start' ? page.more : liesAfter(page, context)),
    }),
    hasPreviousPage: t.boolean({
      description:
        'Whether there are animals before this page: then `before: startCursor` gets them. A walk backwards ends at `after`.',
      resolve: (page, _, context) => (page.request.from === 'end' ? page.more : liesBefore(page, context)),
    }),
    startCursor: t.string({
      nullable: true,
      description:
        'The cursor of the first animal of this page, to be passed on as `before`; null when the page is empty.',
      resolve: ({ listed: [first] }) => first && encodeCursor(first),
    }),
    endCursor: t.string({
      nullable: true,
      description:
        'The cursor of the last animal of this page, to be passed on as `after`; null when the page is empty.',
      resolve: ({ listed }) => {
        const last = listed.at(-1)
        return last && encodeCursor(last)
      },
    }),
  }),
})

const PetConnection = builder.objectRef<PetPage>('PetConnection').implement({
  description: 'One page of the list of animals: `{ nodes { name } pageInfo { hasNextPage endCursor } }`.',
  fields: (t) => ({
    edges: t.field({
      type: [PetEdge],
      description: 'The animals of this page, each with its cursor: `{ cursor node { name } }`.',
      resolve: ({ listed }) => listed,
    }),
    nodes: t.field({
      type: [PetObject],
      description:
        'The animals of this page: `{ id name }`. Shorter than `edges`, when cursors of single animals are not wanted.',
      resolve: ({ listed }) => listed,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'What lies around this page: `{ hasNextPage endCursor }`.',
      resolve: (page) => page,
    }),
    totalCount: t.int({
      description:
        'How many animals there are on all pages together, such as `25`; counted only when it is asked for.',
      resolve: (page, _, context) => countPets(context.database, page.filter),
    }),
  }),
})

builder.queryFields((t) => ({
  pets: t.field({
    type: PetConnection,
    description:
      'The animals of the inventory, a page at a time. A page takes as long however many animals there are; the exception is `namePrefix` ' +
      'with an order by `ID`, which may have to look at many names, and fails with the code `TIMEOUT` when that takes too long. ' +
      "REST's twin is [`GET /v1/pets`](/docs#/pets/listPets).",
    args: {
      first: t.arg.int({
        description:
          'How many animals at most, from the start: 1 to 100, such as `10`; 20 when nothing is said.',
      }),
      after: t.arg.string({
        description:
          'Only animals after this cursor: the `endCursor` of the page before. A cursor belongs to an order.',
      }),
      last: t.arg.int({
        description:
          'How many animals at most, from the end: 1 to 100, such as `10`; not together with `first`.',
      }),
      before: t.arg.string({
        description: 'Only animals before this cursor: the `startCursor` of the page behind.',
      }),
      filter: t.arg({ type: PetFilterInput, description: 'Which animals, such as `{status: [available]}`.' }),
      orderBy: t.arg({
        type: PetOrderInput,
        description:
          'In which order, such as `{field: NAME, direction: ASC}`; by `ID`, `ASC`, when nothing is said, but by `NAME`, `ASC`, with a `namePrefix`.',
      }),
    },
    resolve: async (_, args, context): Promise<PetPage> => {
      const order = args.orderBy ?? { field: args.filter?.namePrefix ? 'NAME' : 'ID', direction: 'ASC' }
      const request = readPageRequest(args, order, checkFilter(args.filter))
      const filter = await readFilter(args.filter, context)
      const listed = await listPets(context.database, { ...request, filter, order, limit: request.limit + 1 })
      const more = listed.length > request.limit
      if (more) listed.splice(request.from === 'start' ? -1 : 0, 1)
      return { filter, order, request, listed, more }
    },
  }),
}))

async function liesAfter(page: PetPage, { database }: Context): Promise<boolean> {
  const { filter, order, request, listed } = page
  if (request.before === undefined) return false
  // An empty page has no last animal: then whatever is not before `before` lies behind it.
  const after = listed.at(-1) ?? step(request.before, order.direction === 'ASC' ? -1n : 1n)
  return (await listPets(database, { filter, order, after, limit: 1, from: 'start' })).length > 0
}

async function liesBefore(page: PetPage, { database }: Context): Promise<boolean> {
  const { filter, order, request, listed } = page
  if (request.after === undefined) return false
  const before = listed[0] ?? step(request.after, order.direction === 'ASC' ? 1n : -1n)
  return (await listPets(database, { filter, order, before, limit: 1, from: 'end' })).length > 0
}

/** The position next to another; none at the ends of the ids. */
function step({ id, nameKey }: PetPosition, by: bigint): PetPosition | undefined {
  const next = BigInt(id) + by
  return next < MIN_INT64 || next > MAX_INT64 ? undefined : { id: String(next), nameKey }
}
