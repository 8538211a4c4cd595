/** What a page of pets costs; see field-cost.ts. */
import { petStatus } from '../../db/tables.ts'
import { ANY, type ArgumentValues, countItems, memberOf } from './field-cost.ts'
import { PAGE_SIZE } from './pagination.ts'
import { MAX_CATEGORIES } from './pet-inputs.ts'

/** What may look at every pet: a count, and a prefix of names in order of id. Several fit into one document, dozens do not. */
export const SCAN_COST = 450

/** Rows of an index that cost as much as one pet of a page, which is loaded whole whatever is selected of it. */
const ROWS_PER_COST = 10

/** The database reads as many rows as a page has of an index range for each combination of a status and a category. */
export function readPageCost(args: ArgumentValues): number {
  const { filter, orderBy, after, before } = args
  const statuses = countItems(memberOf(filter, 'status'), petStatus.enumValues.length)
  const ranges = statuses * countItems(memberOf(filter, 'categoryId'), MAX_CATEGORIES)
  const pageSize = readPageSize(args)
  const mayHavePrefix = (memberOf(filter, 'namePrefix') ?? null) !== null
  const mayBeById = [ANY, 'ID'].includes(memberOf(orderBy, 'field') as typeof ANY | string)
  // The page, and whether pets lie beyond its cursor.
  const scans = (after ?? before ?? null) === null ? 1 : 2
  const scanCost = mayHavePrefix && mayBeById ? scans * SCAN_COST : 0
  return pageSize + Math.ceil((ranges * (pageSize + 1)) / ROWS_PER_COST) + scanCost
}

/** How many pets a page may have. An invalid size is rejected later, so it may count as the largest. */
export function readPageSize({ first, last }: ArgumentValues): number {
  const size = first ?? last ?? PAGE_SIZE.default
  return typeof size === 'number' && size >= 0 && size <= PAGE_SIZE.maximum ? size : PAGE_SIZE.maximum
}
