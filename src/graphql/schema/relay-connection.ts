/** Connections: the pages of any list, their arguments and their cursors (https://relay.dev/graphql/connections.htm). */
import type { InputShapeFromFields, ObjectRef } from '@pothos/core'
import { GraphQLInt } from 'graphql'
import { type Problem, throwIfInvalid } from '../../base/service-error.ts'
import {
  checkFilter,
  defaultOrderOf,
  type ListDescription,
  type SentFilterOf,
  toFilter,
} from '../../resource/list-declaration.ts'
import type { List } from '../../resource/list-items.ts'
import { type ListCursor, type ListOrder, type ListRange, PAGE_SIZE } from '../../resource/list-pages.ts'
import type { Item, Listed } from '../../resource/resource.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { declareCost, pageCostOf, pageSizeOf, SCAN_COST } from './field-cost.ts'

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of an order.',
  values: {
    ASC: { description: 'Ascending: the smallest first.' },
    DESC: { description: 'Descending: the largest first.' },
  },
})

/** The arguments of all connections. */
type ConnectionArguments = InputShapeFromFields<ReturnType<typeof defineArguments>>

/** A page of a list, and what is needed to compute its PageInfo. */
interface Page<One extends Item = Item> {
  listed: Listed<One>[]
  range: Pick<ListRange, 'order' | 'from'>
  /** Whether the list goes on beyond the page: in the direction of counting, and behind its start. */
  hasMore: boolean
  hasMoreBehind: () => Promise<boolean>
  count: () => Promise<number>
}

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
  description:
    'The position of a page in the list, as in the [Relay cursor connections specification](https://relay.dev/graphql/connections.htm).',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description:
        'Whether the list goes on after this page; `after: endCursor` fetches what follows. With `first`, the list ends at `before`.',
      resolve: ({ range, hasMore, hasMoreBehind }) => (range.from === 'start' ? hasMore : hasMoreBehind()),
    }),
    hasPreviousPage: t.boolean({
      description:
        'Whether there is something before this page; `before: startCursor` fetches it. With `last`, the list starts at `after`.',
      resolve: ({ range, hasMore, hasMoreBehind }) => (range.from === 'end' ? hasMore : hasMoreBehind()),
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first item on this page, such as `aWQ6MQ`; null if the page is empty.',
      resolve: ({ listed: [first], range }) => first && encodeCursor(first, range.order.field),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last item on this page, such as `aWQ6MjA`; null if the page is empty.',
      resolve: ({ listed, range }) => {
        const last = listed.at(-1)
        return last && encodeCursor(last, range.order.field)
      },
    }),
  }),
})

/** @returns the type of a connection, its arguments, its cost, and what loads a page */
export function defineConnection<One extends Item, Description extends ListDescription>(
  node: ObjectRef<typeof builder.$inferSchemaTypes, One>,
  name: string,
  { resource: { words }, list, load, count }: List<One, Description>,
) {
  type Range = Parameters<typeof load>[1]
  const defaultOrder = defaultOrderOf(list)

  /** @throws ServiceError INVALID_VALUE that names all invalid arguments */
  async function loadPage(
    args: ConnectionArguments & {
      filter?: SentFilterOf<Description> | null | undefined
      orderBy?: Range['order'] | null | undefined
    },
    { requestData }: Context,
  ): Promise<Page<One>> {
    const order = args.orderBy ?? defaultOrder(args.filter)
    const request = readPageRequest(args, order, list, checkFilter(list, args.filter))
    const filter = await toFilter(list, args.filter, requestData)
    // One item more than asked for tells whether the list goes on.
    const range = { ...request, filter, order, limit: request.limit + 1 }
    const listed = await load(requestData, range)
    const hasMore = listed.length > request.limit
    if (hasMore) listed.splice(range.from === 'start' ? -1 : 0, 1)
    let behind: Promise<boolean> | undefined
    return {
      listed,
      range,
      hasMore,
      // Once, so that an alias does not query the database again.
      hasMoreBehind: () => (behind ??= liesBehind(requestData, listed, range)),
      count: () => count(requestData, filter),
    }
  }

  /** Whether the list has items behind the end of the page that counting started from. */
  async function liesBehind(
    requestData: Context['requestData'],
    listed: readonly Listed<One>[],
    { filter, order, from, after, before }: Range,
  ): Promise<boolean> {
    const isForward = from === 'start'
    const [bound, end] = isForward ? [after, listed[0]] : [before, listed.at(-1)]
    if (bound === undefined) return false
    // An empty page has no item at that end: then everything from the cursor on, including its own item, lies behind.
    const edge = end ?? { ...bound, isIncluded: true }
    const rest: Range = { filter, order, limit: 1, from: isForward ? 'end' : 'start' }
    const beyond = await load(requestData, isForward ? { ...rest, before: edge } : { ...rest, after: edge })
    return beyond.length > 0
  }

  return {
    type: defineTypes(node, name, words),
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
  const Edge = builder.objectRef<{ node: Listed<One>; order: ListOrder }>(`${name}Edge`).implement({
    description: `${/^[aeiou]/.test(one) ? 'An' : 'A'} ${one} and its position in the list.`,
    fields: (t) => ({
      cursor: t.string({
        description: `The position of this ${one}, for \`after\` and \`before\`; opaque, such as \`aWQ6NDI\`.`,
        resolve: ({ node, order }) => encodeCursor(node, order.field),
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
        resolve: ({ listed, range }) => listed.map((node) => ({ node, order: range.order })),
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
        resolve: async ({ count }) => GraphQLInt.coerceOutputValue(await count()),
      }),
    }),
  })
}

function defineArguments(many: string) {
  return builder.args((t) => ({
    first: t.int({
      description: `The page size, counted from the start of the list: 0 to ${PAGE_SIZE.maximum}, ${PAGE_SIZE.default} by default.`,
    }),
    after: t.string({
      description: `Return only ${many} after this cursor: the \`endCursor\` of the previous page, such as \`aWQ6MjA\`.`,
    }),
    last: t.int({
      description: `The page size, counted from the end of the list: 0 to ${PAGE_SIZE.maximum}. Not together with \`first\`.`,
    }),
    before: t.string({
      description: `Return only ${many} before this cursor: the \`startCursor\` of the next page, such as \`aWQ6MQ\`.`,
    }),
  }))
}

/**
 * @param order one of `orders`, all those of the list
 * @param otherProblems what is wrong with the other arguments, to be reported together
 * @throws ServiceError INVALID_VALUE that names the invalid arguments
 */
function readPageRequest(
  { first, after, last, before }: ConnectionArguments,
  order: ListOrder,
  { orders }: Pick<ListDescription, 'orders'>,
  otherProblems: readonly (Problem | null)[],
): Pick<ListRange, 'limit' | 'from' | 'after' | 'before'> {
  const hasKey = orders[order.field] != null
  const decode = (cursor?: string | null) =>
    cursor == null ? undefined : decodeCursor(cursor, order, hasKey)
  const positions = { after: decode(after), before: decode(before) }
  const both = { argument: 'last', message: 'first and last must not be given together.' }
  throwIfInvalid([
    validateSize('first', first),
    validateSize('last', last),
    first != null && last != null ? both : null,
    validateCursor('after', positions.after),
    validateCursor('before', positions.before),
    ...otherProblems,
  ])
  return {
    limit: last ?? first ?? PAGE_SIZE.default,
    from: last != null ? 'end' : 'start',
    after: positions.after ?? undefined,
    before: positions.before ?? undefined,
  }
}

function validateSize(argument: string, size: number | null | undefined): Problem | null {
  if (size == null || (size >= 0 && size <= PAGE_SIZE.maximum)) return null
  const message = `${argument} must be an integer from 0 to ${PAGE_SIZE.maximum}.`
  return { argument, message }
}

function validateCursor(argument: string, position: ListCursor | null | undefined): Problem | null {
  if (position !== null) return null
  return { argument, message: `${argument} must be a cursor that this service returned for the same order.` }
}
