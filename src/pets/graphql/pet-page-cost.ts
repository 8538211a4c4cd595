/** The cost of a page of pets; see field-cost.ts. */
import { petStatus } from '../../db/tables.ts'
import { ANY, type ArgumentValues, countItems, memberOf } from '../../graphql/schema/field-cost.ts'
import { PAGE_SIZE } from '../pet-range.ts'
import { MAX_CATEGORIES } from './pet-inputs.ts'

/** The cost of what may scan every pet: a count, or a name prefix in order of id. A document may contain several, but not dozens. */
export const SCAN_COST = 450

/** The index rows that cost as much as one pet on the page: pets are loaded whole, whatever is selected. */
const ROWS_PER_COST = 10

/** For each combination of a status and a category, the database reads up to a page of rows from an index range. */
export function readPageCost(args: ArgumentValues): number {
  const { filter, orderBy, after, before } = args
  const statuses = countItems(memberOf(filter, 'status'), petStatus.enumValues.length)
  const ranges = statuses * countItems(memberOf(filter, 'categoryId'), MAX_CATEGORIES)
  const pageSize = readPageSize(args)
  const mayHavePrefix = (memberOf(filter, 'namePrefix') ?? null) !== null
  const mayBeById = [ANY, 'ID'].includes(memberOf(orderBy, 'field') as typeof ANY | string)
  // One for the page, and one for whether pets lie beyond the cursor.
  const scans = (after ?? before ?? null) === null ? 1 : 2
  const scanCost = mayHavePrefix && mayBeById ? scans * SCAN_COST : 0
  return pageSize + Math.ceil((ranges * (pageSize + 1)) / ROWS_PER_COST) + scanCost
}

/** The maximum number of pets that a page may have. An invalid size is rejected later, so it may count as the largest. */
export function readPageSize({ first, last }: ArgumentValues): number {
  const size = first ?? last ?? PAGE_SIZE.default
  return typeof size === 'number' && size >= 0 && size <= PAGE_SIZE.maximum ? size : PAGE_SIZE.maximum
}
