/** Connections: the types of the pages of any list, and their arguments (https://relay.dev/graphql/connections.htm). */
import type { ObjectRef } from '@pothos/core'
import { encodeCursor } from '../../resource/lists/list-cursor.ts'
import type { List } from '../../resource/list.ts'
import type { ListDescription } from '../../resource/lists/list-description.ts'
import type { ListOrder } from '../../resource/lists/orders.ts'
import type { Page } from '../../resource/page.ts'
import { PAGE_SIZE } from '../../resource/lists/page-arguments.ts'
import type { Item, Listed } from '../../resource/fields/resource.ts'
import { builder, toInt } from './builder.ts'
import { declareCost, SCAN_COST } from '../limits/field-cost.ts'
import { pageCostOf } from '../limits/page-cost.ts'

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The sort direction.',
  values: {
    ASC: { description: 'Ascending: the smallest first.' },
    DESC: { description: 'Descending: the largest first.' },
  },
})

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

/** @returns the type of a connection, its arguments and its cost */
export function defineConnection<TItem extends Item, Description extends ListDescription>(
  node: ObjectRef<typeof builder.$inferSchemaTypes, TItem>,
  name: string,
  list: List<TItem, Description>,
) {
  return {
    type: defineTypes(node, name, list),
    args: defineArguments(list.resource.words.plural),
    extensions: declareCost(pageCostOf(list.description)),
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
  return builder.objectRef<Page<TItem>>(`${name}Connection`).implement({
    description: `A page of the list of ${plural}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: `The ${plural} on this page, each with its cursor.`,
        extensions: declareCost({ kind: 'items' }),
        resolve: ({ listed, order }) => listed.map((node) => ({ node, order })),
      }),
      nodes: t.field({
        type: [node],
        description: `The ${plural} on this page, without cursors.`,
        extensions: declareCost({ kind: 'items' }),
        resolve: ({ listed }) => listed,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The position of this page in the list.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        description: `The number of ${plural} on all pages together. It is counted only if you request it.`,
        extensions: declareCost({ kind: 'single', cost: SCAN_COST }),
        resolve: async ({ conditions }, _, { requestData }) => toInt(await count(requestData, conditions)),
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
