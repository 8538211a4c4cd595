/** What a field costs: declared with it, and added up by query-cost.ts. */
import { isJsonObject } from '../../base/json.ts'
import { listConditions } from '../../resource/lists/filters.ts'
import { findIndexUse, type IndexUse } from '../../resource/lists/index-use.ts'
import type { ListDescription } from '../../resource/lists/list.ts'
import { defaultOrderOf } from '../../resource/lists/orders.ts'
import { PAGE_SIZE } from '../../resource/lists/page-arguments.ts'

/** The arguments of a field, valid or not. */
export type ArgumentValues = Readonly<Record<string, unknown>>

export interface FieldCost {
  /** The cost of the field itself; 1 if absent. */
  own?: number | ((args: ArgumentValues) => number)
  /** On what has a page of items, the maximum number of them: on a connection, such as `items(first: 3)`, or on a list without one, such as `nodes(ids: …)`. */
  pageSize?: (args: ArgumentValues) => number
  /** On the list of these items: what is selected counts once for each. On `nodes` and `edges` of a connection; on a list without one, with `pageSize`. */
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

/** The cost of combined values, filters and orders that no single index serves: Postgres may sort or skip thousands of rows for a page. */
export const MIX_COST = 50

/** A page costs the number of items that it may have, and more if no single index serves it. */
export function pageCostOf(list: ListDescription): (args: ArgumentValues) => number {
  return (args) => {
    const conditions = listConditions(list.filters, isJsonObject(args.filter) ? args.filter : null)
    const order: unknown = args.orderBy ?? defaultOrderOf(list.orders, conditions)
    const field = isJsonObject(order) ? order.field : undefined
    return pageSizeOf(args) + costOfReading(findIndexUse(list.orders, field, conditions))
  }
}

function costOfReading(indexUse: IndexUse): number {
  switch (indexUse.kind) {
    case 'ranges':
      return hasSeveralValues(indexUse.condition?.value) ? MIX_COST : 0
    case 'prefix':
      return 0
    case 'other':
      return (indexUse.isCombined ? MIX_COST : 0) + (indexUse.mayScan ? SCAN_COST : 0)
  }
}

/** Whether a condition, valid or not, has different values. */
function hasSeveralValues(value: unknown): boolean {
  // 7 and "7" are one int64.
  return Array.isArray(value) && new Set(value.map(toText)).size > 1
}

function toText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** A list of one item for each id. */
export const COST_OF_IDS: FieldCost = { own: countIds, pageSize: countIds, perItem: true }

function countIds({ ids }: ArgumentValues): number {
  return Array.isArray(ids) ? ids.length : 1
}

/** The maximum number of items that a page may have. An invalid size, or both at once, count as the largest: they are rejected later. */
export function pageSizeOf({ first, last }: ArgumentValues): number {
  if (first != null && last != null) return PAGE_SIZE.maximum
  const size = first ?? last ?? PAGE_SIZE.default
  if (typeof size !== 'number') return PAGE_SIZE.maximum
  const isValid = Number.isInteger(size) && size >= 0 && size <= PAGE_SIZE.maximum
  return isValid ? size : PAGE_SIZE.maximum
}
