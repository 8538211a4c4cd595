/** The migrations in the folder drizzle, and which of their indexes are built while the table is in use. */
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { pathInProject } from '../../base/project-root.ts'

export interface Index {
  name: string
  table: string
  /** CREATE INDEX, which stops all writes to the table until the transaction ends. */
  plain: string
  /** CREATE INDEX CONCURRENTLY, which does not, but cannot be part of a transaction. */
  concurrent: string
}

/** What is left to do of one migration. */
export interface Step {
  /** When it was made, in milliseconds: its identity in Drizzle's table. */
  when: number
  hash: string
  /** To be run in one transaction, together with the record of the migration; null: that has been done. */
  statements: readonly string[] | null
  /** To be built after it, unless they exist. */
  indexes: readonly Index[]
}

/** As drizzle-kit writes it; comments may precede it. */
const CREATE_INDEX = /^((?:\s|--.*\n)*CREATE (?:UNIQUE )?INDEX) (?:CONCURRENTLY )?("(\w+)" ON "(\w+)"[^]*)$/i
const CREATE_TABLE = /^CREATE TABLE (?:IF NOT EXISTS )?"(\w+)"/gim

/**
 * A migration is recorded before its indexes are built, so those of the newest one on record may still be missing. The indexes of a
 * table that is new belong to the transaction: nothing writes to it yet.
 * @param newest the newest migration on record; 0 if there is none
 * @param options isShared: whether others use the database meanwhile; if not, every index belongs to the transaction
 * @returns nothing if the database is newer than this program
 */
export function planMigrations(newest: number, { isShared }: { isShared: boolean }): Step[] {
  const migrations = readMigrationFiles({ migrationsFolder: pathInProject('drizzle') })
  const text = migrations.filter(({ folderMillis }) => folderMillis > newest).flatMap(({ sql }) => sql)
  const newTables = new Set([...text.join('\n').matchAll(CREATE_TABLE)].map(([, table]) => table))
  const isBuiltLater = (index: Index | null) => index !== null && isShared && !newTables.has(index.table)

  return migrations
    .filter(({ folderMillis }) => folderMillis >= newest)
    .map(({ sql, folderMillis, hash }) => {
      const found = sql.map((statement) => ({ statement, index: parseIndex(statement) }))
      const others = found.filter(({ index }) => !isBuiltLater(index))
      return {
        when: folderMillis,
        hash,
        statements:
          folderMillis > newest ? others.map(({ statement, index }) => index?.plain ?? statement) : null,
        indexes: found.flatMap(({ index }) => (index && isBuiltLater(index) ? [index] : [])),
      }
    })
}

/** @returns null for a statement that creates no index */
export function parseIndex(statement: string): Index | null {
  const [, create, definition, name, table] = CREATE_INDEX.exec(statement) ?? []
  if (create === undefined || definition === undefined || name === undefined || table === undefined)
    return null
  return {
    name,
    table,
    plain: `${create} ${definition}`,
    concurrent: `${create} CONCURRENTLY ${definition}`,
  }
}
