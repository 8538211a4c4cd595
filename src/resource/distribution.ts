import type { DistributableTable } from '../db/citus/distribute.ts'
import { nameOf } from '../db/postgres/statement.ts'
import type { ListSource } from './page-plan.ts'

/** How a resource is spread over a Citus cluster. @param triggers the names of those that announce its events */
export function describeDistribution(
  { resource, list }: ListSource,
  triggers: readonly string[],
): DistributableTable {
  return {
    table: resource.table,
    id: resource.id.column,
    many: resource.words.many,
    triggers,
    keys: Object.values(list.orders).flatMap((order) =>
      order ? [{ column: order.key.storedAs, value: order.key.of(nameOf(order.key.column)) }] : [],
    ),
  }
}
