/** Applies the migrations in the folder drizzle. */
import { setTimeout } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { OperatorError } from '../../base/operator-error.ts'
import {
  createMissingPrivilegeError,
  findDatabaseError,
  NotMigratedError,
} from '../postgres/postgres-errors.ts'
import { pathInProject } from '../../base/project-root.ts'
import type { DedicatedConnection } from '../postgres/dedicated-connection.ts'
import { limitLockWait, LOCK_NOT_AVAILABLE } from '../postgres/lock-wait.ts'
import { fixedStatement, type Statement } from '../postgres/statement.ts'

/** An arbitrary constant, which must be the same in every version of this program. */
const LOCK = '7138250117'
/** Milliseconds between attempts to take it. */
const LOCK_INTERVAL_MS = 200

/** How often a migration tries to lock a table that others hold, and the milliseconds between two attempts. */
const MAX_ATTEMPTS = 30
const ATTEMPT_INTERVAL_MS = 1_000

/**
 * The record of the migrations that were applied, in the form that drizzle-kit has it. Its own name, since other applications of Drizzle
 * may use the database, too.
 */
const RECORD = sql.identifier('pet_store_migrations')

const statements = {
  // Not pg_advisory_lock, which would keep a snapshot while it waits.
  tryLock: toStatement(sql.raw(`select pg_try_advisory_lock(${LOCK})::text`)),
  unlock: toStatement(sql.raw(`select pg_advisory_unlock(${LOCK})`)),
  inspect: toStatement(
    sql.raw(
      `select current_setting('server_encoding'), to_regclass('pet_store_migrations')::text, current_schema()`,
    ),
  ),
  findNewest: toStatement(sql`select max(created_at)::text from ${RECORD}`),
  createRecord: toStatement(
    sql`create table ${RECORD} (id serial primary key, hash text not null, created_at bigint)`,
  ),
}

function toStatement(query: SQL): Statement {
  return fixedStatement('migrateDatabase', query)
}

type MigrationConnection = Pick<DedicatedConnection, 'query' | 'transaction'>

interface MigrationOptions {
  /** Whether to migrate, or only to check. */
  migrates: boolean
  /** The folder with the migrations; by default, the project's own. */
  folder?: string
  /** Called when it begins to wait for others. @param reason a sentence without a full stop */
  onWaiting?: (reason: string) => void
  /** Ends the waits for others. */
  signal?: AbortSignal
}

/**
 * Brings the tables up to date. Servers that do this at once take turns, using an advisory lock. If others hold a table, it tries again,
 * so that writes never queue behind it for long.
 * @param connect makes the connection that holds the lock; it is closed at the end
 * @throws OperatorError if the database cannot be used; NotMigratedError if it is older and must not be migrated
 */
export async function migrateDatabase(
  connect: () => MigrationConnection & AsyncDisposable,
  options: MigrationOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const connection = connect()
    try {
      await migrateOnce(connection, options)
      return
    } catch (error) {
      if (findDatabaseError(error)?.sqlstate !== LOCK_NOT_AVAILABLE || attempt === MAX_ATTEMPTS) throw error
      if (attempt === 1) options.onWaiting?.('another transaction holds a table')
    } finally {
      await connection[Symbol.asyncDispose]()
    }
    await setTimeout(ATTEMPT_INTERVAL_MS, undefined, { signal: options.signal })
  }
}

async function migrateOnce(connection: MigrationConnection, options: MigrationOptions): Promise<void> {
  const { migrates, folder = pathInProject('drizzle') } = options
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const findMissing = async () => {
    const newest = await findNewestOn(connection)
    return { newest, missing: migrations.filter(({ folderMillis }) => folderMillis > (newest ?? 0)) }
  }
  if ((await findMissing()).missing.length === 0) return
  if (!migrates) throw new NotMigratedError()
  await takeLock(connection, options)
  // Another server may have migrated meanwhile.
  const { newest, missing } = await findMissing()
  await connection.transaction(async () => {
    await connection.query(limitLockWait)
    if (newest === null) await connection.query(statements.createRecord)
    for (const { sql: texts, hash, folderMillis } of missing) {
      for (const text of texts) await connection.query(toStatement(sql.raw(text)))
      const values = sql`${hash}, ${String(folderMillis)}`
      await connection.query(toStatement(sql`insert into ${RECORD} (hash, created_at) values (${values})`))
    }
  })
  await connection.query(statements.unlock)
}

/** Waits for its turn. */
async function takeLock(
  connection: MigrationConnection,
  { onWaiting, signal }: MigrationOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const [[isTaken] = []] = await connection.query(statements.tryLock)
    if (isTaken === 'true') return
    if (attempt === 1) onWaiting?.('another process is migrating the database')
    await setTimeout(LOCK_INTERVAL_MS, undefined, { signal })
  }
}

/** @returns the newest migration on record; 0 if there is none, null if there is no record @throws OperatorError */
async function findNewestOn(connection: MigrationConnection): Promise<number | null> {
  const [[encoding, record, schema] = []] = await connection.query(statements.inspect)
  if (encoding !== 'UTF8')
    throw new OperatorError(
      `The encoding of the database is ${encoding}, which cannot store every name.\n` +
        'Create the database with ENCODING UTF8 (TEMPLATE template0).',
    )
  if (schema == null)
    throw new OperatorError(
      'The search_path of this user has no schema that exists, so there is no place for tables.\n' +
        'Create one of its schemas, or set another search_path: ALTER ROLE … SET search_path = …',
    )
  if (record == null) return null
  const [[newest] = []] = await connection.query(statements.findNewest).catch(throwMissingPrivilege)
  return Number(newest ?? 0)
}

/** After the migration by its owner, another user waits for its rights. */
function throwMissingPrivilege(error: unknown): never {
  throw findDatabaseError(error)?.sqlstate === '42501' ? createMissingPrivilegeError(RECORD.value) : error
}
