/** What clients ask of a list: its pages, in both APIs (https://relay.dev/graphql/connections.htm), and counts. */
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { RequestData } from '../db/request-data.ts'
import type { Item, Listed } from './fields/resource.ts'
import type { List, ValueCount } from './list.ts'
import {
  type Condition,
  type FilterInput,
  inputConditionsOf,
  normalizeConditions,
  readConditions,
  validateConditions,
} from './lists/conditions.ts'
import type { ListDescription } from './lists/list-description.ts'
import { defaultOrderOf, type ListOrder, reverse } from './lists/orders.ts'
import { type PageArguments, readPageArguments, rowLimitOf } from './lists/page-arguments.ts'

export interface Page<TItem extends Item = Item> {
  listed: Listed<TItem>[]
  /** What its items have in common. */
  conditions: readonly Condition[]
  order: ListOrder
  hasNextPage: boolean
  hasPreviousPage: boolean
}

/** @throws ServiceError INVALID_VALUE that names all invalid arguments */
export async function loadPage<TItem extends Item, Description extends ListDescription>(
  { description, load }: Pick<List<TItem, Description>, 'description' | 'load'>,
  args: PageArguments & {
    filter?: FilterInput<Description['filters']> | null | undefined
    orderBy?: ListOrder<keyof Description['orders'] & string> | null | undefined
  },
  requestData: RequestData,
): Promise<Page<TItem>> {
  const orders: Description['orders'] = description.orders
  const input = inputConditionsOf(description.filters, args.filter)
  const order = args.orderBy ?? defaultOrderOf(orders, input)
  // One answer names all problems, those of the page and of the filter.
  const { size, isFromEnd, after, before } = readPageArguments(args, order, orders, validateConditions(input))
  const conditions = await normalizeConditions(input, requestData)
  const limit = rowLimitOf(size)
  // The last items are the first ones in the reverse order.
  const listed = isFromEnd
    ? await load(requestData, reverse(order), { conditions, after: before, before: after, limit })
    : await load(requestData, order, { conditions, after, before, limit })
  const hasMore = listed.length > size
  if (hasMore) listed.pop()
  if (isFromEnd) listed.reverse()
  // Beyond a cursor there is the item that it came from. That may have been deleted meanwhile, but Relay asks for no
  // second search.
  return {
    listed,
    conditions,
    order,
    hasNextPage: isFromEnd ? before !== undefined : hasMore,
    hasPreviousPage: isFromEnd ? hasMore : after !== undefined,
  }
}

/**
 * Counts the items that match a filter by the values of an enumeration.
 * @param column of the enumeration, one of the list's resource
 * @returns in the order of List.countBy
 * @throws ServiceError INVALID_VALUE that names the invalid conditions
 */
export async function loadCounts<
  TItem extends Item,
  Description extends ListDescription,
  Member extends string,
>(
  { description, countBy }: Pick<List<TItem, Description>, 'description' | 'countBy'>,
  column: PgColumn & { enumValues: readonly Member[] },
  args: { filter?: FilterInput<Description['filters']> | null | undefined },
  requestData: RequestData,
): Promise<ValueCount<Member>[]> {
  const conditions = await readConditions(description, args.filter, requestData)
  return countBy(requestData, column, conditions)
}
