/** The pages of a list as clients ask for them, in both APIs (https://relay.dev/graphql/connections.htm). */
import type { Problem } from '../../base/service-error.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Item, Listed } from '../fields/resource.ts'
import type { List, ListDescription } from './list.ts'
import { decodeCursor, type ListCursor } from './cursor.ts'
import { type FilterInput, type FilterValues, listConditions, readFilter } from './filters.ts'
import { defaultOrderOf, type ListOrder, type Orders, reverse } from './orders.ts'
import { PAGE_SIZE } from './page-size.ts'

/** Which page of a list. */
interface PageArguments {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

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
  const { problems, size, isFromEnd, after, before } = readPosition(args, order, orders)
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

/**
 * Which items of the list are on the page.
 * @param order one of `orders`
 * @returns also what is wrong with the arguments
 */
function readPosition({ first, after, last, before }: PageArguments, order: ListOrder, orders: Orders) {
  const hasKey = orders[order.field] != null
  const decode = (cursor?: string | null) =>
    cursor == null ? undefined : decodeCursor(cursor, order.field, hasKey)
  const positions = { after: decode(after), before: decode(before) }
  const both = { argument: 'last', message: 'first and last must not be given together.' }
  return {
    problems: [
      validateSize('first', first),
      validateSize('last', last),
      first != null && last != null ? both : null,
      validateCursor('after', positions.after),
      validateCursor('before', positions.before),
    ],
    size: last ?? first ?? PAGE_SIZE.default,
    isFromEnd: last != null,
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
  return {
    argument,
    message: `${argument} must be a cursor that this service returned for the same sort order.`,
  }
}
