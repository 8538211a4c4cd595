/** The SQL of a resource that is different on Citus. All of it is built at startup; a database says which is its own. */
import type { Database, Dialect } from '../db/database.ts'
import { createCitusPageReader } from './citus/citus-page-reader.ts'
import { createCitusWrites } from './citus/citus-writes.ts'
import type { Item, Resource } from './fields/resource.ts'
import type { OrderedList, PageReader } from './lists/ordered-list.ts'
import { createPageReader } from './lists/page-reader.ts'
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
