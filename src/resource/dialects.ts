/**
 * Which statements a resource has: those of Postgres, in lists/ and writes/, or those of Citus, in citus/. All are built at startup; a
 * database says which are its own. What is different on Citus (docs/decisions.md, 27):
 *
 * - Each page is a statement of its own, since there are no lateral joins over shards.
 * - Each update is a statement of its own, since it locks the rows of a single shard only; so is a creation with an idempotency key.
 * - Other creations send VALUES, since INSERT … SELECT takes much longer.
 * - The server announces its own writes, since the workers cannot NOTIFY. So writes return the rows that they have written.
 */
import type { Database, Dialect } from '../db/database.ts'
import { createCitusPageReader } from './citus/citus-page-reader.ts'
import { createCitusWrites } from './citus/citus-writes.ts'
import type { Item, Resource } from './fields/resource.ts'
import type { OrderedList } from './lists/orders.ts'
import { createPageReader } from './lists/page-reader.ts'
import type { PageReader } from './lists/page-request.ts'
import { createWrites, type Writes } from './writes/writes.ts'

interface Statements {
  createWrites: <TItem extends Item>(resource: Resource<TItem>) => Writes<TItem>
  createPageReader: (list: OrderedList) => PageReader
}

const dialects: Record<Dialect['name'], Statements> = {
  postgres: { createWrites, createPageReader },
  citus: { createWrites: createCitusWrites, createPageReader: createCitusPageReader },
}

/** Builds something for each dialect. @returns what finds that of a database, which has to be open */
export function forEachDialect<Built>(build: (dialect: Statements) => Built): (database: Database) => Built {
  const built = { postgres: build(dialects.postgres), citus: build(dialects.citus) }
  return ({ dialect }) => built[dialect.name]
}
