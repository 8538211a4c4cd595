/** Connections: the pages of any list, with cursors (https://relay.dev/graphql/connections.htm). */
import type { ObjectRef } from '@pothos/core'
import type { FilterOf, ListDescription } from '../../resource/list.ts'
import type { List } from '../../resource/list-items.ts'
import type { ListOrder, ListCursor } from '../../resource/pages.ts'
import type { Item, Listed } from '../../resource/resource.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { declareCost, pageCostOf, pageSizeOf, SCAN_COST } from './cost.ts'
import { encodeCursor, type PageRequest } from './pagination.ts'

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of an order.',
  values: {
    ASC: { description: 'Ascending: the smallest first.' },
    DESC: { description: 'Descending: the largest first.' },
  },
})

/** A page of a list, and what is needed to compute its PageInfo. */
interface Page<One extends Item = Item> {
  listed: Listed<One>[]
  order: ListOrder
  request: PageRequest
  /** Whether the list goes on at the far end of the page, as seen from the end that it was counted from. */
  hasMore: boolean
  /** Whether the list goes on at the other end. */
  hasMoreBehind: (session: Context['session']) => Promise<boolean>
  count: (session: Context['session']) => Promise<number>
}

/** An item, and its position in the list. */
interface EdgeSource<One> {
  node: One
  position: ListCursor
  order: ListOrder
}

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
  description:
    'The position of a page in the list, as in the [Relay cursor connections specification](https://relay.dev/graphql/connections.htm).',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description:
        'Whether the list goes on after this page; `after: endCursor` fetches what follows. With `first`, the list ends at `before`.',
      resolve: ({ request, hasMore, hasMoreBehind }, _, { session }) =>
        request.from === 'start' ? hasMore : hasMoreBehind(session),
    }),
    hasPreviousPage: t.boolean({
      description:
        'Whether there is something before this page; `before: startCursor` fetches it. With `last`, the list starts at `after`.',
      resolve: ({ request, hasMore, hasMoreBehind }, _, { session }) =>
        request.from === 'end' ? hasMore : hasMoreBehind(session),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first item on this page, such as `aWQ6MQ`; null if the page is empty.',
      resolve: ({ listed: [first], order }) => first && encodeCursor(first, order.field),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last item on this page, such as `aWQ6MjA`; null if the page is empty.',
      resolve: ({ listed, order }) => {
        const last = listed.at(-1)
        return last && encodeCursor(last, order.field)
      },
    }),
  }),
})

/**
 * Defines the types of a connection.
 * @param words one and several items, in descriptions
 * @returns the type of the connection, its arguments, its cost, and what loads a page
 */
export function defineConnection<One extends Item, Description extends ListDescription>(
  node: ObjectRef<typeof builder.$inferSchemaTypes, One>,
  name: string,
  { resource: { words }, list, load, count }: List<One, Description>,
) {
  const type = defineTypes(node, name, words)
  type Order = ListOrder<keyof Description['orders'] & string>

  /** @param request see readPageRequest */
  async function loadPage(
    request: PageRequest,
    filter: FilterOf<Description>,
    order: Order,
    { session }: Context,
  ): Promise<Page<One>> {
    const listed = await load(session, { ...request, filter, order, limit: request.limit + 1 })
    const hasMore = listed.length > request.limit
    if (hasMore) listed.splice(request.from === 'start' ? -1 : 0, 1)
    let behind: Promise<boolean> | undefined
    return {
      listed,
      order,
      request,
      hasMore,
      // Once, so that an alias does not query the database again.
      hasMoreBehind: (session) => (behind ??= liesBehind(session, listed, request, filter, order)),
      count: (session) => count(session, filter),
    }
  }

  /** Whether the list goes on beyond the end of the page that it was not counted from. */
  async function liesBehind(
    session: Context['session'],
    listed: readonly Listed<One>[],
    { from, after, before }: PageRequest,
    filter: FilterOf<Description>,
    order: Order,
  ): Promise<boolean> {
    const [bound, end] = from === 'start' ? [after, listed[0]] : [before, listed.at(-1)]
    if (bound === undefined) return false
    // On an empty page there is no such item: everything from the cursor on lies there.
    const edge = end ?? { ...bound, isIncluded: true }
    const range =
      from === 'start' ? ({ before: edge, from: 'end' } as const) : ({ after: edge, from: 'start' } as const)
    return (await load(session, { filter, order, limit: 1, ...range })).length > 0
  }

  return {
    type,
    args: defineArguments(words.many),
    loadPage,
    extensions: declareCost({ own: pageCostOf(list), pageSize: pageSizeOf }),
  }
}

function defineTypes<One extends Item>(
  node: ObjectRef<typeof builder.$inferSchemaTypes, One>,
  name: string,
  { one, many }: { one: string; many: string },
) {
  const Edge = builder.objectRef<EdgeSource<One>>(`${name}Edge`).implement({
    description: `${article(one)} and its position in the list.`,
    fields: (t) => ({
      cursor: t.string({
        description: `The position of this ${one}, for \`after\` and \`before\`; opaque, such as \`aWQ6NDI\`.`,
        resolve: ({ position, order }) => encodeCursor(position, order.field),
      }),
      node: t.expose('node', { type: node, description: `The ${one}.` }),
    }),
  })
  return builder.objectRef<Page<One>>(`${name}Connection`).implement({
    description: `A page of the list of ${many}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: `The ${many} on this page, each with its cursor.`,
        extensions: declareCost({ perItem: true }),
        resolve: ({ listed, order }): EdgeSource<One>[] =>
          listed.map((item) => ({ node: item, position: item, order })),
      }),
      nodes: t.field({
        type: [node],
        description: `The ${many} on this page, without cursors.`,
        extensions: declareCost({ perItem: true }),
        resolve: ({ listed }) => listed,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The position of this page in the list.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        description: `The total number of ${many} on all pages. It is computed only if you ask for it.`,
        extensions: declareCost({ own: SCAN_COST }),
        resolve: ({ count }, _, { session }) => count(session),
      }),
    }),
  })
}

/** The arguments of all connections. */
function defineArguments(many: string) {
  return builder.args((t) => ({
    first: t.int({
      description: 'The page size, counted from the start of the list: 1 to 100, 20 by default.',
    }),
    after: t.string({
      description: `Return only ${many} after this cursor: the \`endCursor\` of the previous page, such as \`aWQ6MjA\`.`,
    }),
    last: t.int({
      description: 'The page size, counted from the end of the list: 1 to 100. Not together with `first`.',
    }),
    before: t.string({
      description: `Return only ${many} before this cursor: the \`startCursor\` of the next page, such as \`aWQ6MQ\`.`,
    }),
  }))
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}`
}
