import type { OrderedList } from '../lists/orders.ts'
import type { PageReader } from '../lists/page-request.ts'
import { createPlannedPages } from '../lists/planned-pages.ts'

/**
 * Reads pages on Citus, each by a statement of its own: it has no lateral joins over shards, which the joined ones need. With a constant
 * limit, each worker would return as many rows.
 */
export function createCitusPageReader(list: OrderedList): PageReader {
  return createPlannedPages(list, { hasConstantLimit: false })
}
