import { countPets, type ListedPet, listPets } from '../pet-list.ts'
import type { PetFilter, PetOrder } from '../pet-range.ts'
import { builder } from '../../graphql/schema/builder.ts'
import type { Context } from '../../graphql/schema/context.ts'
import { declareCost } from '../../graphql/schema/field-cost.ts'
import { encodeCursor, type PageRequest, readPageRequest } from '../../graphql/schema/pagination.ts'
import { PetFilterInput, PetOrderInput, toPetFilter, validateFilter } from './pet-inputs.ts'
import { readPageCost, readPageSize, SCAN_COST } from './pet-page-cost.ts'
import { PetObject } from './pet.ts'

/** A page of the list, and what is needed to compute its PageInfo. */
interface PetPage {
  filter: PetFilter
  order: PetOrder
  request: PageRequest
  listed: ListedPet[]
  /** Whether the list goes on at the far end of the page, as seen from the end that it was counted from. */
  hasMore: boolean
  /** Whether the list goes on at the other end. Set once it has been computed, so that an alias does not query the database again. */
  hasMoreBehind?: Promise<boolean>
}

const PetEdge = builder.objectRef<ListedPet>('PetEdge').implement({
  description: 'A pet and its position in the list.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The position of this pet, for `after` and `before`; opaque, such as `aWQ6NDI`.',
      resolve: encodeCursor,
    }),
    node: t.field({ type: PetObject, description: 'The pet.', resolve: (pet) => pet }),
  }),
})

const PageInfo = builder.objectRef<PetPage>('PageInfo').implement({
  description:
    'The position of a page in the list, as in the [Relay cursor connections specification](https://relay.dev/graphql/connections.htm).',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description:
        'Whether there are pets after this page; `after: endCursor` fetches them. With `first`, the list ends at `before`.',
      resolve: (page, _, context) =>
        page.request.from === 'start' ? page.hasMore : (page.hasMoreBehind ??= hasMoreBehind(page, context)),
    }),
    hasPreviousPage: t.boolean({
      description:
        'Whether there are pets before this page; `before: startCursor` fetches them. With `last`, the list starts at `after`.',
      resolve: (page, _, context) =>
        page.request.from === 'end' ? page.hasMore : (page.hasMoreBehind ??= hasMoreBehind(page, context)),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first pet on this page, such as `aWQ6MQ`; null if the page is empty.',
      resolve: ({ listed: [first] }) => first && encodeCursor(first),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last pet on this page, such as `aWQ6MjA`; null if the page is empty.',
      resolve: ({ listed }) => {
        const last = listed.at(-1)
        return last && encodeCursor(last)
      },
    }),
  }),
})

const PetConnection = builder.objectRef<PetPage>('PetConnection').implement({
  description: 'A page of the list of pets.',
  fields: (t) => ({
    edges: t.field({
      type: [PetEdge],
      description: 'The pets on this page, each with its cursor.',
      extensions: declareCost({ perItem: true }),
      resolve: ({ listed }) => listed,
    }),
    nodes: t.field({
      type: [PetObject],
      description: 'The pets on this page, without cursors.',
      extensions: declareCost({ perItem: true }),
      resolve: ({ listed }) => listed,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'The position of this page in the list.',
      resolve: (page) => page,
    }),
    totalCount: t.int({
      description: 'The total number of pets on all pages. It is computed only if you ask for it.',
      extensions: declareCost({ own: SCAN_COST }),
      resolve: (page, _, context) => countPets(context.session, page.filter),
    }),
  }),
})

builder.queryFields((t) => ({
  pets: t.field({
    type: PetConnection,
    description:
      'The pets in the inventory, one page at a time. The speed of a page does not depend on the number of pets, except with ' +
      '`namePrefix` in an order by `ID`: that may have to scan many names, and fails with the code `TIMEOUT` if it takes too long. ' +
      'REST equivalent: [`GET /v1/pets`](docs#tag/pets/listPets).',
    args: {
      first: t.arg.int({
        description: 'The page size, counted from the start of the list: 1 to 100, 20 by default.',
      }),
      after: t.arg.string({
        description:
          'Return only pets after this cursor: the `endCursor` of the previous page, such as `aWQ6MjA`.',
      }),
      last: t.arg.int({
        description: 'The page size, counted from the end of the list: 1 to 100. Not together with `first`.',
      }),
      before: t.arg.string({
        description:
          'Return only pets before this cursor: the `startCursor` of the next page, such as `aWQ6MQ`.',
      }),
      filter: t.arg({ type: PetFilterInput, description: 'The pets to return: `{status: [available]}`.' }),
      orderBy: t.arg({
        type: PetOrderInput,
        description:
          'The order; `{field: ID, direction: ASC}` by default, `{field: NAME, direction: ASC}` with a `namePrefix`. A cursor is valid only for the order that it came from.',
      }),
    },
    extensions: declareCost({ own: readPageCost, pageSize: readPageSize }),
    resolve: async (_, args, context): Promise<PetPage> => {
      const order = args.orderBy ?? { field: args.filter?.namePrefix ? 'NAME' : 'ID', direction: 'ASC' }
      const request = readPageRequest(args, order, validateFilter(args.filter))
      const filter = await toPetFilter(args.filter, context)
      const listed = await listPets(context.session, { ...request, filter, order, limit: request.limit + 1 })
      const hasMore = listed.length > request.limit
      if (hasMore) listed.splice(request.from === 'start' ? -1 : 0, 1)
      return { filter, order, request, listed, hasMore }
    },
  }),
}))

/** Whether the list goes on beyond the cursor that a page begins at, as seen from the end that it was counted from. */
async function hasMoreBehind(page: PetPage, { session }: Context): Promise<boolean> {
  const { filter, order, request, listed } = page
  const isForward = request.from === 'start'
  const cursor = isForward ? request.after : request.before
  if (cursor === undefined) return false
  // Beyond an empty page lies what lies beyond its cursor, and the pet of the cursor itself.
  const end = (isForward ? listed[0] : listed.at(-1)) ?? { ...cursor, isIncluded: true }
  const beyond = isForward
    ? ({ before: end, from: 'end' } as const)
    : ({ after: end, from: 'start' } as const)
  return (await listPets(session, { filter, order, ...beyond, limit: 1 })).length > 0
}
