/** The pages of a list as clients ask for them, in both APIs (https://relay.dev/graphql/connections.htm). */
import type { RequestData } from '../../db/request-data.ts'
import type { Item, Listed } from '../fields/resource.ts'
import type { List, ListDescription } from './list.ts'
import { type FilterInput, type FilterValues, listConditions, readFilter } from './filters.ts'
import { defaultOrderOf, type ListOrder, reverse } from './orders.ts'
import { type PageArguments, readPageArguments } from './page-arguments.ts'

export interface Page<TItem extends Item = Item, Values = unknown> {
  listed: Listed<TItem>[]
  filter: Values
  order: ListOrder
  hasNextPage: boolean
  hasPreviousPage: boolean
}

/** @throws ServiceError INVALID_VALUE that names all invalid arguments */
export async function loadPage<TItem extends Item, Description extends ListDescription>(
  list: List<TItem, Description>,
  args: PageArguments & {
    filter?: FilterInput<Description['filters']> | null | undefined
    orderBy?: ListOrder<keyof Description['orders'] & string> | null | undefined
  },
  requestData: RequestData,
): Promise<Page<TItem, FilterValues<Description['filters']>>> {
  const { filters, orders } = list.description
  const order =
    args.orderBy ?? defaultOrderOf<Description['orders']>(orders, listConditions(filters, args.filter))
  const { problems, size, isFromEnd, after, before } = readPageArguments(args, order, orders)
  const filter = await readFilter<Description['filters']>(filters, args.filter, requestData, problems)
  // One item more than asked for tells whether the list goes on.
  const limit = size + 1
  // The last items are the first ones in the reverse order.
  const listed = await list.load(
    requestData,
    isFromEnd
      ? { filter, order: reverse(order), after: before, before: after, limit }
      : { filter, order, after, before, limit },
  )
  const hasMore = listed.length > size
  if (hasMore) listed.pop()
  if (isFromEnd) listed.reverse()
  // Beyond a cursor there is the item that it came from. That may have been deleted meanwhile, but Relay asks for no
  // second search.
  return {
    listed,
    filter,
    order,
    hasNextPage: isFromEnd ? before !== undefined : hasMore,
    hasPreviousPage: isFromEnd ? hasMore : after !== undefined,
  }
}
