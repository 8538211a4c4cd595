/** Which statements a resource has on a database: only here does its dialect choose. */
import type { Dialect, SharedDatabase } from '../db/database.ts'
import { createCitusPageReader } from './citus/citus-pages.ts'
import { buildCitusWrites } from './citus/citus-writes.ts'
import type { Item, Resource } from './fields/resource.ts'
import type { OrderedList } from './lists/orders.ts'
import type { ReadPage } from './lists/page-query.ts'
import { createPageReader } from './lists/page-reader.ts'
import { buildWrites, type Writes } from './writes/writes.ts'

/** What builds the statements of a dialect. */
interface Builders {
  buildWrites: <TItem extends Item>(resource: Resource<TItem>) => Writes<TItem>
  createPageReader: (list: OrderedList) => ReadPage
}

/**
 * Builds something with the statements of each dialect, at once: a declaration that one of them cannot serve fails when the server starts,
 * whichever database it has.
 * @returns what finds it for a database @throws as requireDialect
 */
export function forEachDialect<Built>(
  build: (builders: Builders) => Built,
): (shared: Pick<SharedDatabase, 'requireDialect'>) => Built {
  const built: Record<Dialect['name'], Built> = {
    postgres: build({ buildWrites, createPageReader }),
    citus: build({ buildWrites: buildCitusWrites, createPageReader: createCitusPageReader }),
  }
  return (shared) => built[shared.requireDialect().name]
}
