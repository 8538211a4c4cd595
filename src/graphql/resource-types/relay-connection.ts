/** Connections: the pages of any list, their arguments and their cursors (https://relay.dev/graphql/connections.htm). */
import type { InputShapeFromFields, ObjectRef } from '@pothos/core'
import { GraphQLInt } from 'graphql'
import { type Problem, throwIfInvalid } from '../../base/service-error.ts'
import {
  checkFilters,
  defaultOrderOf,
  type FilterOf,
  type ListDescription,
  PAGE_SIZE,
  readFilters,
  type FilterInputOf,
  toFilter,
} from '../../resource/list-declaration.ts'
import type { List, ListOrder, ListRange } from '../../resource/list.ts'
import type { Item, Listed } from '../../resource/resource.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { declareCost, pageCostOf, pageSizeOf, SCAN_COST } from './field-cost.ts'

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The sort direction.',
  values: {
    ASC: { description: 'Ascending: the smallest first.' },
    DESC: { description: 'Descending: the largest first.' },
  },
})

/** The arguments of all connections. */
type ConnectionArguments = InputShapeFromFields<ReturnType<typeof defineArguments>>

/** A page of a list. */
interface Page<TItem extends Item = Item, Filter = unknown> {
  listed: Listed<TItem>[]
  filter: Filter
  order: ListOrder
  hasNextPage: boolean
  hasPreviousPage: boolean
}

const PageInfo = builder.objectRef<Page>('PageInfo').implement({
  description:
    'The position of a page in the list, as in the [Relay cursor connections specification](https://relay.dev/graphql/connections.htm).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description:
        'Whether there are items after this page; `after: endCursor` fetches them. With `first`, items from `before` on do not count. With `last`, it is true if `before` is given, and false otherwise.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description:
        'Whether there are items before this page; `before: startCursor` fetches them. With `last`, items up to `after` do not count. With `first`, it is true if `after` is given, and false otherwise.',
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

/** @returns the type of a connection, its arguments, its cost, and what loads a page */
export function defineConnection<TItem extends Item, Description extends ListDescription>(
  node: ObjectRef<typeof builder.$inferSchemaTypes, TItem>,
  name: string,
  items: List<TItem, Description>,
) {
  const { description: list } = items
  type Range = Parameters<typeof items.load>[1]

  /** @throws ServiceError INVALID_VALUE that names all invalid arguments */
  async function loadPage(
    args: ConnectionArguments & {
      filter?: FilterInputOf<Description> | null | undefined
      orderBy?: Range['order'] | null | undefined
    },
    { requestData }: Context,
  ): Promise<Page<TItem, FilterOf<Description>>> {
    const filters = readFilters(list, args.filter)
    const order = args.orderBy ?? defaultOrderOf(filters)
    const { limit, from, after, before } = readPageRequest(args, order, list, checkFilters(filters))
    const filter = await toFilter(filters, requestData)
    // One item more than asked for tells whether the list goes on.
    const listed = await items.load(requestData, { filter, order, limit: limit + 1, from, after, before })
    const hasMore = listed.length > limit
    if (hasMore) listed.splice(from === 'start' ? -1 : 0, 1)
    // A cursor is the position of an item, so there is at least that one on its other side.
    return {
      listed,
      filter,
      order,
      hasNextPage: from === 'start' ? hasMore : before !== undefined,
      hasPreviousPage: from === 'end' ? hasMore : after !== undefined,
    }
  }

  return {
    type: defineTypes(node, name, items),
    args: defineArguments(items.resource.words.plural),
    loadPage,
    extensions: declareCost({ own: pageCostOf(list), pageSize: pageSizeOf }),
  }
}

function defineTypes<TItem extends Item, Description extends ListDescription>(
  node: ObjectRef<typeof builder.$inferSchemaTypes, TItem>,
  name: string,
  { resource: { words }, count }: List<TItem, Description>,
) {
  const { singular, plural } = words
  const Edge = builder.objectRef<{ node: Listed<TItem>; order: ListOrder }>(`${name}Edge`).implement({
    description: `One ${singular} on the page, and its position in the list.`,
    fields: (t) => ({
      cursor: t.string({
        description: `The position of this ${singular}, for \`after\` and \`before\`; opaque, such as \`aWQ6NDI\`.`,
        resolve: ({ node, order }) => encodeCursor(node, order.field),
      }),
      node: t.expose('node', { type: node, description: `The ${singular}.` }),
    }),
  })
  return builder.objectRef<Page<TItem, FilterOf<Description>>>(`${name}Connection`).implement({
    description: `A page of the list of ${plural}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: `The ${plural} on this page, each with its cursor.`,
        extensions: declareCost({ perItem: true }),
        resolve: ({ listed, order }) => listed.map((node) => ({ node, order })),
      }),
      nodes: t.field({
        type: [node],
        description: `The ${plural} on this page, without cursors.`,
        extensions: declareCost({ perItem: true }),
        resolve: ({ listed }) => listed,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The position of this page in the list.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        description: `The number of ${plural} on all pages together. It is counted only if you request it.`,
        extensions: declareCost({ own: SCAN_COST }),
        resolve: async ({ filter }, _, { requestData }) =>
          GraphQLInt.coerceOutputValue(await count(requestData, filter)),
      }),
    }),
  })
}

function defineArguments(plural: string) {
  return builder.args((t) => ({
    first: t.int({
      description: `The page size, counted from the start of the list: 0 to ${PAGE_SIZE.maximum}, ${PAGE_SIZE.default} by default.`,
    }),
    after: t.string({
      description: `Return only ${plural} after this cursor: the \`endCursor\` of the previous page, such as \`aWQ6MjA\`.`,
    }),
    last: t.int({
      description: `The page size, counted from the end of the list: 0 to ${PAGE_SIZE.maximum}. Not together with \`first\`.`,
    }),
    before: t.string({
      description: `Return only ${plural} before this cursor: the \`startCursor\` of the next page, such as \`aWQ6MQ\`.`,
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
    cursor == null ? undefined : decodeCursor(cursor, order.field, hasKey)
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

function validateCursor(argument: string, position: ListRange['after'] | null): Problem | null {
  if (position !== null) return null
  return {
    argument,
    message: `${argument} must be a cursor that this service returned for the same sort order.`,
  }
}
