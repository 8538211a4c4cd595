/** What a page of a list costs, by its size and by how indexes serve it. */
import { isJsonObject } from '../../base/json.ts'
import type { SortKey } from '../../resource/fields/text-key.ts'
import { type InputCondition, inputConditionsOf } from '../../resource/lists/conditions.ts'
import { findIndexUse, type IndexUse } from '../../resource/lists/index-use.ts'
import type { ListDescription } from '../../resource/lists/list-description.ts'
import { defaultOrderOf } from '../../resource/lists/orders.ts'
import { PAGE_SIZE } from '../../resource/lists/page-arguments.ts'
import { MIX_COST, type PageCost, SCAN_COST } from './field-cost.ts'
import type { SentArguments } from './sent-arguments.ts'

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
  const isValid = typeof size === 'number' && Number.isInteger(size) && size >= 0
  return isValid ? Math.min(size, PAGE_SIZE.maximum) : PAGE_SIZE.maximum
}

function indexUseOf(list: ListDescription, { filter, orderBy }: SentArguments): IndexUse<InputCondition> {
  const conditions = inputConditionsOf(list.filters, isJsonObject(filter) ? filter : null)
  const order: unknown = orderBy ?? defaultOrderOf(list.orders, conditions)
  return findIndexUse(isJsonObject(order) ? sortKeyOf(list, order.field) : null, conditions)
}

/** @param order valid or not */
function sortKeyOf({ orders }: ListDescription, order: unknown): SortKey | null {
  return typeof order === 'string' && Object.hasOwn(orders, order) ? (orders[order] ?? null) : null
}

function costOfReading(indexUse: IndexUse<InputCondition>): number {
  switch (indexUse.kind) {
    case 'all':
    case 'prefix':
      return 0
    case 'byValue':
      return hasSeveralValues(indexUse.condition.input) ? MIX_COST : 0
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
