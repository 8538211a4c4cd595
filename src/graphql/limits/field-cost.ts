/**
 * What a field costs: declared with it, and added up by query-cost.ts. A field without a declaration costs 1, and must not return a list:
 * test/unit/graphql/limits/field-cost.test.ts looks at all fields of the schema.
 */
import { isJsonObject } from '../../base/json.ts'
import { listConditions } from '../../resource/lists/filters.ts'
import { findIndexUse, type IndexUse } from '../../resource/lists/index-use.ts'
import type { ListDescription } from '../../resource/lists/list.ts'
import { defaultOrderOf } from '../../resource/lists/orders.ts'
import { PAGE_SIZE } from '../../resource/lists/page-arguments.ts'
import type { SentArguments } from './sent-arguments.ts'

export type FieldCost = FixedCost | SizedCost

/** Known when a document is prepared. */
export type FixedCost =
  /** No list: what is selected counts once. */
  | { kind: 'single'; cost: number }
  /** A list of a few items, such as a count for each value of an enumeration: what is selected counts once, so `cost` covers the others. */
  | { kind: 'few'; cost: number }
  /** The list of the items of a page, such as `nodes` of a connection: it costs 1, and what is selected counts once for each item. */
  | { kind: 'items' }

/** Depends on the arguments of the field. */
export type SizedCost =
  | PageCost
  /** A list of as many items as the arguments say, such as `nodes(ids: …)`: it costs its size, and what is selected counts once for each item. */
  | { kind: 'list'; size: (args: SentArguments) => number }

/** A connection, such as `items(first: 3)`: what is selected counts once, and what its list of items selects, once for each of them. */
interface PageCost {
  kind: 'page'
  /** What the page costs, without what is selected. */
  cost: (args: SentArguments) => number
  /** The maximum number of its items. */
  size: (args: SentArguments) => number
}

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- an augmentation repeats the type parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    cost?: FieldCost
  }
}

/** The `extensions` of a field that returns a list, or costs another number than 1. */
export function declareCost(cost: FieldCost): { cost: FieldCost } {
  return { cost }
}

/** The cost of what may scan a whole table: a count, or a filter that no index serves. A document may contain several, but not dozens. */
export const SCAN_COST = 450

/** The cost of combined values, filters and orders that no single index serves: Postgres may sort or skip thousands of rows for a page. */
export const MIX_COST = 50

/** A page costs the number of items that it may have, which may be 0, and more if no single index serves it. */
export function pageCostOf(list: ListDescription): PageCost {
  return {
    kind: 'page',
    cost: (args) => pageSizeOf(args) + costOfReading(indexUseOf(list, args)),
    size: pageSizeOf,
  }
}

/** The maximum number of items that a page may have. An invalid size, or both at once, count as the largest: they are rejected later. */
function pageSizeOf({ first, last }: SentArguments): number {
  if (first != null && last != null) return PAGE_SIZE.maximum
  const size = first ?? last ?? PAGE_SIZE.default
  if (typeof size !== 'number') return PAGE_SIZE.maximum
  const isValid = Number.isInteger(size) && size >= 0 && size <= PAGE_SIZE.maximum
  return isValid ? size : PAGE_SIZE.maximum
}

function indexUseOf(list: ListDescription, { filter, orderBy }: SentArguments): IndexUse {
  const conditions = listConditions(list.filters, isJsonObject(filter) ? filter : null)
  const order: unknown = orderBy ?? defaultOrderOf(list.orders, conditions)
  return findIndexUse(list.orders, isJsonObject(order) ? order.field : undefined, conditions)
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

/** A list of one item for each of `ids`. One id stands for a list of one. */
export const COST_OF_IDS: FieldCost = {
  kind: 'list',
  size: ({ ids }) => (Array.isArray(ids) ? ids.length : 1),
}
