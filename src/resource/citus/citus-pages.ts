/** How pages are read on Citus. */
import { findIndexUse } from '../lists/index-use.ts'
import type { OrderedList } from '../lists/orders.ts'
import type { ReadPage } from '../lists/page-query.ts'
import { createPlannedReader } from '../lists/planned-pages.ts'

/**
 * Each page has a statement of its own. Those that share one on Postgres join a subquery for each page, and Citus has such (correlated)
 * subqueries only on the distribution column, the id (https://docs.citusdata.com/en/stable/develop/reference_workarounds.html).
 */
export function createCitusPageReader(list: OrderedList): ReadPage {
  // With a constant limit, each worker would return as many rows as that allows. Without, a shard may search all of its items, in the
  // order of the list, for a rare combination of filters (docs/cluster.md).
  const read = createPlannedReader(list, { hasConstantLimit: false })
  return (requestData, page) =>
    read(requestData, { ...page, indexUse: findIndexUse(list.sortKey, page.conditions) })
}
