/** Which of the two forms the SQL of a resource takes. */
import type { SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { citusDialect } from './citus-dialect.ts'
import type { CountDialect } from './list-counts.ts'
import type { PageDialect } from './list-pages.ts'
import { postgresDialect } from './postgres-dialect.ts'
import type { Resource } from './resource.ts'
import type { WriteDialect } from './writes.ts'

/** What Postgres and Citus need in different words. */
export interface Dialect extends WriteDialect, PageDialect, CountDialect {
  /** The common table expression `used` of `buildInsertOnce`. */
  claimKey: (resource: Resource) => SQL
  /** Called after a creation with an idempotency key. */
  cleanUp: (database: Database) => void
  /** The maximum number of imported items that get an event each. */
  maxImportEvents: number
  /** Whether an import into an empty table may drop the indexes, and build them at the end. */
  rebuildsIndexes: boolean
}

export function dialectOf(
  database: Pick<Database, 'isDistributed'>,
  resource: Pick<Resource, 'isDistributed'>,
): Dialect {
  return database.isDistributed && resource.isDistributed ? citusDialect : postgresDialect
}

/** Builds the statements of a resource in both dialects, once. @returns a function that chooses those of a database */
export function inBothDialects<Built>(
  resource: Resource,
  build: (dialect: Dialect) => Built,
): (database: Pick<Database, 'isDistributed'>) => Built {
  const built = new Map<Dialect, Built>(
    [postgresDialect, citusDialect].map((dialect) => [dialect, build(dialect)]),
  )
  return (database) => built.get(dialectOf(database, resource)) as Built
}
