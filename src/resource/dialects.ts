/** The SQL of a resource that is different on Citus. All of it is built at startup; a database says which is its own. */
import type { Database, Dialect } from '../db/database.ts'
import { createCitusWrites } from './citus-writes.ts'
import { createIndexPages } from './index-pages.ts'
import type { ListScan, LoadPage } from './list-scan.ts'
import type { Item, Resource } from './resource.ts'
import { createSinglePages } from './single-pages.ts'
import { createWrites, type Writes } from './writes.ts'

interface Statements {
  createWrites: <TItem extends Item>(resource: Resource<TItem>) => Writes<TItem>
  createPages: (scan: ListScan) => LoadPage
}

const dialects: Record<Dialect['name'], Statements> = {
  postgres: {
    createWrites,
    createPages(scan) {
      const loadOfIndex = createIndexPages(scan)
      const loadSingle = createSinglePages(scan, { hasConstantLimit: true })
      return (requestData, page) => loadOfIndex(requestData, page) ?? loadSingle(requestData, page)
    },
  },
  citus: {
    createWrites: createCitusWrites,
    /** It has no lateral joins over shards, so nothing is joined; and with a constant limit, each worker would return as many rows. */
    createPages: (scan) => createSinglePages(scan, { hasConstantLimit: false }),
  },
}

/** Builds something for each dialect. @returns what finds that of a database, which has to be open */
export function forEachDialect<Built>(build: (dialect: Statements) => Built): (database: Database) => Built {
  const built = { postgres: build(dialects.postgres), citus: build(dialects.citus) }
  return ({ dialect }) => built[dialect.name]
}
