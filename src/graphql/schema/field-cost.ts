/** What a field costs: declared with it, and added up by query-cost.ts. */
import { isJsonObject } from '../../base/json.ts'
import { defaultOrderOf, type ListDescription } from '../../resource/list-declaration.ts'
import { PAGE_SIZE } from '../../resource/list-pages.ts'

/** The arguments of a field, valid or not. */
export type ArgumentValues = Readonly<Record<string, unknown>>

export interface FieldCost {
  /** The cost of the field itself; 1 if absent. */
  own?: number | ((args: ArgumentValues) => number)
  /** On a connection: the maximum number of items on its page. */
  pageSize?: (args: ArgumentValues) => number
  /** On a list of the enclosing page's items: the selection counts once per item. */
  perItem?: boolean
}

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- an augmentation repeats the type parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    cost?: FieldCost
  }
}

/** The `extensions` of a field that costs more than 1. */
export function declareCost(cost: FieldCost): { cost: FieldCost } {
  return { cost }
}

/** The cost of what may scan a whole table: a count, or a filter that no index serves. A document may contain several, but not dozens. */
export const SCAN_COST = 450

/** The index rows that cost as much as one item on the page: items are loaded whole, whatever is selected. */
const ROWS_PER_COST = 10

/** For each combination of a filter's values, the database reads up to a page of rows from an index range. */
export function pageCostOf(list: ListDescription): (args: ArgumentValues) => number {
  const { orders } = list
  const filters = Object.entries(list.filters)
  const defaultOrder = defaultOrderOf(list)
  return (args) => {
    const { filter, orderBy, after, before } = args
    const sent = isJsonObject(filter) ? filter : undefined
    const order: unknown = orderBy ?? defaultOrder(sent)
    const field = isJsonObject(order) ? order.field : undefined
    const sortKey = typeof field === 'string' ? orders[field]?.key : undefined
    let ranges = 1
    let mayScan = false
    for (const [name, { use }] of filters) {
      const value = sent?.[name] ?? null
      if (value === null) continue
      if (use.kind === 'anyOf') ranges *= countItems(value)
      else if (use.kind === 'condition') mayScan = true
      // An empty prefix is no condition.
      else mayScan ||= value !== '' && use.key !== sortKey
    }
    const pageSize = pageSizeOf(args)
    // One for the page, and one for whether items lie beyond the cursor.
    const scans = (after ?? before ?? null) === null ? 1 : 2
    return pageSize + Math.ceil((ranges * (pageSize + 1)) / ROWS_PER_COST) + (mayScan ? scans * SCAN_COST : 0)
  }
}

/** The maximum number of items that a page may have. An invalid size, or both at once, count as the largest: they are rejected later. */
export function pageSizeOf({ first, last }: ArgumentValues): number {
  if (first != null && last != null) return PAGE_SIZE.maximum
  const size = first ?? last ?? PAGE_SIZE.default
  return typeof size === 'number' && size >= 0 && size <= PAGE_SIZE.maximum ? size : PAGE_SIZE.maximum
}

/** The number of distinct items in a list. */
function countItems(list: unknown): number {
  return Array.isArray(list) ? Math.max(1, new Set(list).size) : 1
}
