/** The costs of fields, declared with the fields; ../query-cost.ts adds them up. */
import { type ListDescription, PAGE_SIZE } from '../../resource/list.ts'

/** The arguments of a field. Each value, or part of one, may be ANY. */
export type ArgumentValues = Readonly<Record<string, unknown>>

/** Stands for an unknown value: any that its type allows. */
export const ANY = Symbol('any value')

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
export function pageCostOf({ filters, orders }: ListDescription): (args: ArgumentValues) => number {
  return (args) => {
    const { filter, orderBy, after, before } = args
    const sortedBy = memberOf(orderBy, 'field')
    let ranges = 1
    let mayScan = false
    for (const [name, { cost, use }] of Object.entries(filters)) {
      const value = memberOf(filter, name) ?? null
      if (value === null) continue
      ranges *= countItems(value, cost.ranges)
      // Without an order, a list is sorted by the key that its filter needs.
      const isElsewhere =
        sortedBy === ANY ||
        (typeof sortedBy === 'string' && use.kind === 'prefix' && orders[sortedBy]?.key !== use.key)
      mayScan ||= cost.scans === 'always' || (cost.scans === 'in other orders' && isElsewhere)
    }
    const pageSize = pageSizeOf(args)
    // One for the page, and one for whether items lie beyond the cursor.
    const scans = (after ?? before ?? null) === null ? 1 : 2
    return pageSize + Math.ceil((ranges * (pageSize + 1)) / ROWS_PER_COST) + (mayScan ? scans * SCAN_COST : 0)
  }
}

/** The maximum number of items that a page may have. An invalid size, or two, are rejected later, so they may count as the largest. */
export function pageSizeOf({ first, last }: ArgumentValues): number {
  if (first != null && last != null) return PAGE_SIZE.maximum
  const size = first ?? last ?? PAGE_SIZE.default
  return typeof size === 'number' && size >= 0 && size <= PAGE_SIZE.maximum ? size : PAGE_SIZE.maximum
}

/** The number of distinct items in a list. @param most the largest possible number */
function countItems(list: unknown, most: number): number {
  if (list === ANY) return most
  return Array.isArray(list) ? Math.max(1, new Set(list).size) : 1
}

/** A member of an input object. */
function memberOf(value: unknown, name: string): unknown {
  if (value === ANY) return ANY
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined
}
