/** Applies the migrations in the folder drizzle. */
import { setTimeout } from 'node:timers/promises'
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { bigint, pgSchema, serial, text } from 'drizzle-orm/pg-core'
import { NotMigratedError, OperatorError } from '../base/errors.ts'
import { pathInProject } from '../base/project-root.ts'
import type { SessionConnection } from './postgres/connection.ts'
import { fixedStatement, nameOf, namesOf, type Statement } from './postgres/statement.ts'
import { idempotencyKeys } from './postgres/tables.ts'

/** An arbitrary constant, which must be the same in every version of this program. */
const LOCK = '7138250117'
/** Milliseconds between attempts to take it. */
const LOCK_INTERVAL_MS = 200

/** How often a migration tries to lock a table that others hold, and the milliseconds between two attempts. */
const MAX_ATTEMPTS = 30
const ATTEMPT_INTERVAL_MS = 1_000

const begin = toStatement('begin')
const commit = toStatement('commit')
// pg_advisory_lock would keep a snapshot while it waits, and an index that is built concurrently waits for all older snapshots.
const tryLock = toStatement(`select pg_try_advisory_lock(${LOCK})::text`)
const unlock = toStatement(`select pg_advisory_unlock(${LOCK})`)
/** Overrides the role's lock_timeout: an index may have to wait a long time for others' transactions. */
const waitLong = toStatement('set lock_timeout = 0')
/** Gives up after a second: writes to a table queue behind a migration that waits for it. */
const waitBriefly = toStatement(`set local lock_timeout = '1s'`)

/** Drizzle's own record of the migrations that were applied; earlier versions of this program wrote it through Drizzle. */
const SCHEMA = 'drizzle'
const TABLE = '__drizzle_migrations'
const migrations = pgSchema(SCHEMA).table(TABLE, {
  id: serial(),
  hash: text(),
  createdAt: bigint('created_at', { mode: 'number' }),
})

const inspect = toStatement(`
  select current_setting('server_encoding'), to_regclass('${SCHEMA}.${TABLE}')::text,
    (select true from pg_extension where extname = 'citus')::text`)
const findNewest = toStatement(sql`select max(${nameOf(migrations.createdAt)}) from ${migrations}`)
const createSchema = toStatement(`create schema if not exists ${SCHEMA}`)
const createTable = toStatement(sql`
  create table if not exists ${migrations} (
    ${nameOf(migrations.id)} serial primary key,
    ${nameOf(migrations.hash)} text not null,
    ${nameOf(migrations.createdAt)} bigint
  )`)

interface MigrationOptions {
  /** Whether to migrate, or only to check. */
  migrates: boolean
  /** Whether others may use the database meanwhile, so that their writes must not be stopped for long. */
  isShared: boolean
  /** Ends the waits for others. */
  signal?: AbortSignal
}

type Runner = Pick<SessionConnection, 'run'>

/**
 * Brings the tables up to date. Servers that do this at once take turns, using an advisory lock. It is not done by Drizzle's
 * migrate(), which takes no lock (drizzle-orm#874) and cannot build an index concurrently, but leaves the same records.
 * @param connect makes the connection that holds the lock; it is closed at the end
 * @returns whether the tables of resources are distributed over the workers of a Citus cluster
 * @throws OperatorError if the database is not UTF-8; NotMigratedError if it is older and must not be migrated
 */
export async function migrateDatabase(
  connect: () => Runner & AsyncDisposable,
  options: MigrationOptions,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const connection = connect()
    try {
      const isCitus = await migrateOnce(connection, options)
      return isCitus && (await readWhetherDistributed(connection))
    } catch (error) {
      const isLockTimeout = error instanceof Error && 'code' in error && error.code === '55P03'
      if (!isLockTimeout || attempt === MAX_ATTEMPTS) throw error
    } finally {
      await connection[Symbol.asyncDispose]()
    }
    await setTimeout(ATTEMPT_INTERVAL_MS, undefined, { signal: options.signal })
  }
}

/** @returns whether the database has the extension Citus; the tables may still be those of the coordinator alone */
async function migrateOnce(
  connection: Runner,
  { migrates, isShared, signal }: MigrationOptions,
): Promise<boolean> {
  const found = await inspectDatabase(connection)
  if (await isUpToDate(connection, planMigrations(found.newest, { isShared }))) return found.isCitus
  if (!migrates) throw new NotMigratedError()
  while ((await connection.run(tryLock))[0]?.[0] !== 'true')
    await setTimeout(LOCK_INTERVAL_MS, undefined, { signal })
  // Another server may have migrated meanwhile, so this checks again.
  const { newest, isCitus } = await inspectDatabase(connection)
  for (const statement of [waitLong, createSchema, createTable]) await connection.run(statement)
  for (const step of planMigrations(newest, { isShared })) {
    await applyStatements(connection, step, isCitus)
    for (const index of step.indexes) await buildIndex(connection, index)
  }
  await connection.run(unlock)
  return isCitus
}

/** @returns newest: the newest migration on record; 0 if there is none @throws OperatorError */
async function inspectDatabase(connection: Runner) {
  const [[encoding, table, citus] = []] = await connection.run(inspect)
  if (encoding !== 'UTF8')
    throw new OperatorError(
      `The encoding of the database is ${encoding}, which cannot store every name.\n` +
        'Create the database with ENCODING UTF8 (TEMPLATE template0).',
    )
  const [[newest] = []] = table == null ? [] : await connection.run(findNewest)
  return { newest: Number(newest ?? 0), isCitus: citus === 'true' }
}

async function isUpToDate(connection: Runner, steps: readonly Step[]): Promise<boolean> {
  if (steps.some(({ statements }) => statements !== null)) return false
  for (const index of steps.flatMap(({ indexes }) => indexes))
    if ((await findState(connection, index)) !== 'valid') return false
  return true
}

async function applyStatements(
  connection: Runner,
  { statements, hash, when }: Step,
  isCitus: boolean,
): Promise<void> {
  if (!statements) return
  await connection.run(begin)
  await connection.run(waitBriefly)
  for (const statement of isCitus ? forCitus(statements) : statements)
    await connection.run(toStatement(statement))
  const record = sql`
    insert into ${migrations} (${namesOf(migrations.hash, migrations.createdAt)})
    values (${hash}::text, ${String(when)}::bigint)`
  await connection.run(toStatement(record))
  await connection.run(commit)
}

/** An interrupted build leaves an invalid index, which no query uses. */
async function buildIndex(connection: Runner, index: Index): Promise<void> {
  const state = await findState(connection, index)
  if (state === 'valid') return
  if (state === 'invalid') await connection.run(toStatement(`drop index concurrently "${index.name}"`))
  await connection.run(toStatement(index.concurrent))
}

async function findState(connection: Runner, { name }: Index): Promise<'valid' | 'invalid' | 'missing'> {
  const text = `select indisvalid::text from pg_index where indexrelid = to_regclass('"${name}"')`
  const [[isValid] = []] = await connection.run(toStatement(text))
  return isValid == null ? 'missing' : isValid === 'true' ? 'valid' : 'invalid'
}

function toStatement(query: string | SQL): Statement {
  return fixedStatement('migrateDatabase', typeof query === 'string' ? sql.raw(query) : query)
}

interface Index {
  name: string
  table: string
  /** CREATE INDEX, which stops all writes to the table until the transaction ends. */
  plain: string
  /** CREATE INDEX CONCURRENTLY, which does not, but cannot be part of a transaction. */
  concurrent: string
}

/** What is left to do of one migration. */
interface Step {
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
  const isBuiltLater = (index: Index | null): index is Index =>
    index !== null && isShared && !newTables.has(index.table)

  return migrations
    .filter(({ folderMillis }) => folderMillis >= newest)
    .map(({ sql, folderMillis, hash }) => {
      const others = sql.filter((statement) => !isBuiltLater(parseIndex(statement)))
      const statements = others.map((statement) => parseIndex(statement)?.plain ?? statement)
      return {
        when: folderMillis,
        hash,
        statements: folderMillis > newest ? statements : null,
        indexes: sql.map(parseIndex).filter(isBuiltLater),
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

const FUNCTION = /^(?:\s|--.*\n)*(?:CREATE|CREATE OR REPLACE|ALTER) FUNCTION\b/i

/**
 * Keeps functions on the coordinator: Citus (13.2) would create them on the workers, too, where it cannot run ALTER FUNCTION … SET …
 * FROM CURRENT. A distributed table has no triggers, and servers call the others on the coordinator.
 * @returns the statements of a transaction
 */
export function forCitus(statements: readonly string[]): string[] {
  return statements.flatMap((statement) =>
    FUNCTION.test(statement)
      ? [
          'set local citus.enable_ddl_propagation = off',
          statement,
          'set local citus.enable_ddl_propagation = on',
        ]
      : [statement],
  )
}

/** Held by `petstore distribute` until it has committed. */
const waitForDistribution = toStatement(sql`lock table ${idempotencyKeys} in access share mode`)
const selectDistributed = toStatement(
  `select exists (select from pg_dist_partition where logicalrelid = '${getTableName(idempotencyKeys)}'::regclass)::text`,
)

/** Waits while the tables are being distributed, all in one transaction. Only for a database with the extension Citus. */
export async function readWhetherDistributed(connection: Runner): Promise<boolean> {
  await connection.run(begin)
  await connection.run(waitForDistribution)
  const [[isDistributed] = []] = await connection.run(selectDistributed)
  await connection.run(commit)
  return isDistributed === 'true'
}
