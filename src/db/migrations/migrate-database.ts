/**
 * Applies the migrations in the folder drizzle. One that is written by hand needs a line `--> statement-breakpoint` between its statements,
 * as drizzle-kit writes it: each part is run as one statement.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { requireNotNull } from '../../base/not-null.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { CODES } from '../postgres/error-codes.ts'
import {
  createNotReadyError,
  findDatabaseError,
  isMissingPrivilege,
  NotMigratedError,
} from '../postgres/postgres-errors.ts'
import { pathInProject } from '../../base/project-root.ts'
import { messageOf } from '../../base/thrown.ts'
import type { DedicatedConnection } from '../postgres/connections/dedicated-connection.ts'
import { limitLockWait } from '../postgres/lock-wait.ts'
import { fixedStatement, type Statement } from '../postgres/statement.ts'
import { isTrue } from '../postgres/text-values.ts'

/** The advisory lock that a server holds while it migrates: an arbitrary constant, the same in every version of this program. */
const LOCK = '7138250117'
/** Milliseconds between attempts to take it. */
const LOCK_INTERVAL_MS = 200

/**
 * How often a migration tries to lock a table that others hold, and the milliseconds between two attempts. A command ends then; a server
 * reports the failure, and begins again (open-postgres.ts).
 */
const MAX_ATTEMPTS = 30
const ATTEMPT_INTERVAL_MS = 1_000

/**
 * The record of the migrations that were applied, in the form that drizzle-kit has it. Its own name, since other applications of Drizzle
 * may use the database, too.
 */
const RECORD_NAME = 'pet_store_migrations'
const RECORD = sql.identifier(RECORD_NAME)

const statements = {
  // Not pg_advisory_lock, which would keep a snapshot while it waits.
  tryLock: toStatement(sql.raw(`select pg_try_advisory_lock(${LOCK})`)),
  unlock: toStatement(sql.raw(`select pg_advisory_unlock(${LOCK})`)),
  // The record is null if it is missing, the schema if there is none for tables.
  inspect: toStatement(
    sql.raw(
      `select current_setting('server_encoding'), to_regclass('${RECORD_NAME}')::text, current_schema()`,
    ),
  ),
  // When each was made, not when it was applied: Drizzle has named the column.
  readRecord: toStatement(sql`select created_at::text from ${RECORD}`),
  createRecord: toStatement(
    sql`create table ${RECORD} (id serial primary key, hash text not null, created_at bigint)`,
  ),
}

function toStatement(query: SQL): Statement {
  return fixedStatement('migrateDatabase', query)
}

type MigrationConnection = Pick<DedicatedConnection, 'query' | 'transaction'> & AsyncDisposable

/** Makes a dedicated connection, with the usual time limits or without. */
export type ConnectToMigrate = (limits: { hasTimeLimit: boolean }) => MigrationConnection

interface MigrationOptions {
  /** Whether to migrate, or only to check. */
  migrates: boolean
  /** The folder with the migrations; by default, the project's own. */
  folder?: string
  /** Called with each attempt after which it waits for others. @param reason a sentence without a full stop */
  onWaiting?: (reason: string) => void
  /** Ends the waits for others. */
  signal?: AbortSignal
}

/**
 * Brings the tables up to date. Servers that do this at once take turns, using an advisory lock. If others hold a table, it gives its turn
 * up and tries again, so that writes never queue behind it for long.
 * @param connect makes a connection: one with time limits, to ask what is missing, and one without, for each attempt to migrate
 * @throws OperatorError if the database cannot be used, or the folder cannot be read; NotMigratedError if it is older and must not be migrated
 */
export async function migrateDatabase(connect: ConnectToMigrate, options: MigrationOptions): Promise<void> {
  const { migrates, folder = pathInProject('drizzle'), onWaiting, signal } = options
  const migrations = readMigrations(folder)
  if (await isUpToDate(connect({ hasTimeLimit: true }), migrations)) return
  if (!migrates) throw new NotMigratedError()
  for (let attempt = 1; ; attempt += 1) {
    try {
      await using connection = connect({ hasTimeLimit: false })
      await takeLock(connection, options)
      await applyMissing(connection, migrations)
      // The connection does not end its session if all share one, as those to an embedded database do.
      await connection.query(statements.unlock)
      return
    } catch (error) {
      const isBlocked = findDatabaseError(error)?.databaseCode === CODES.LOCK_NOT_AVAILABLE
      if (!isBlocked || attempt === MAX_ATTEMPTS) throw error
      onWaiting?.('another transaction holds a table')
    }
    await setTimeout(ATTEMPT_INTERVAL_MS, undefined, { signal })
  }
}

interface Migration extends MigrationMeta {
  name: string
}

/** @throws OperatorError if they cannot be read, which is no failure of the database */
function readMigrations(folder: string): Migration[] {
  try {
    const text = readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')
    // As drizzle-kit writes it.
    const { entries } = JSON.parse(text) as { entries: { when: number; tag: string }[] }
    const names = new Map(entries.map(({ when, tag }) => [when, tag]))
    const migrations = readMigrationFiles({ migrationsFolder: folder })
    return migrations.map((migration) => {
      const name = requireNotNull(names.get(migration.folderMillis), 'The name of a migration')
      return { ...migration, name }
    })
  } catch (error) {
    throw new OperatorError(
      `The migrations in ${folder} cannot be read: ${messageOf(error)}.\nInstall this program again.`,
      { cause: error },
    )
  }
}

/** @throws as readRecord, and as findMissing */
async function isUpToDate(
  newConnection: MigrationConnection,
  migrations: readonly Migration[],
): Promise<boolean> {
  await using connection = newConnection
  return findMissing(migrations, await readRecord(connection)).length === 0
}

/**
 * Applies migrations in one transaction, while the lock is held. Another server may have applied them meanwhile.
 * @throws as readRecord, and as findMissing; LOCK_NOT_AVAILABLE if others hold a table
 */
async function applyMissing(
  connection: MigrationConnection,
  migrations: readonly Migration[],
): Promise<void> {
  const record = await readRecord(connection)
  await connection.transaction(async () => {
    await connection.query(limitLockWait)
    if (!record) await connection.query(statements.createRecord)
    for (const migration of findMissing(migrations, record)) await apply(connection, migration)
  })
}

/**
 * The migrations that were applied to a database, by the time at which each was made (`folderMillis`); null: it has no record of them yet.
 */
type MigrationRecord = ReadonlySet<number> | null

/** @throws OperatorError if one is older than the newest applied one: it was written on another branch, and drizzle-kit would skip it */
function findMissing(migrations: readonly Migration[], record: MigrationRecord): Migration[] {
  const applied = record ?? new Set()
  const newest = Math.max(...applied)
  const missing = migrations.filter(({ folderMillis }) => !applied.has(folderMillis))
  const skipped = missing.filter(({ folderMillis }) => folderMillis < newest).map(({ name }) => name)
  if (skipped.length > 0)
    throw new OperatorError(
      `The database lacks a migration that is older than the newest one that was applied: ${skipped.join(', ')}.\n` +
        'In a checkout, remove it from drizzle/, and generate it again, so that it is the newest: npm run migration',
    )
  return missing
}

/** @throws OperatorError if the database cannot have our tables; DatabaseServiceError if this user may not read the record */
async function readRecord(connection: MigrationConnection): Promise<MigrationRecord> {
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
  const rows = await connection.query(statements.readRecord).catch(throwMissingPrivilege)
  return new Set(rows.map(([time]) => Number(time)))
}

/** After the migration by its owner, another user waits for its rights. */
function throwMissingPrivilege(error: unknown): never {
  if (!isMissingPrivilege(error)) throw error
  throw createNotReadyError(CODES.INSUFFICIENT_PRIVILEGE, `this user may not read ${RECORD_NAME}`)
}

/** Waits for the turn of this server. */
async function takeLock(
  connection: MigrationConnection,
  { onWaiting, signal }: MigrationOptions,
): Promise<void> {
  for (;;) {
    const [[isTaken] = []] = await connection.query(statements.tryLock)
    if (isTrue(isTaken)) return
    onWaiting?.('another process is migrating the database')
    await setTimeout(LOCK_INTERVAL_MS, undefined, { signal })
  }
}

async function apply(connection: MigrationConnection, migration: Migration): Promise<void> {
  for (const text of migration.sql) await connection.query(toStatement(sql.raw(text)))
  const values = sql`${migration.hash}, ${String(migration.folderMillis)}`
  await connection.query(toStatement(sql`insert into ${RECORD} (hash, created_at) values (${values})`))
}
