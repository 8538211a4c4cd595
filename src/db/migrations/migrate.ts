import { setTimeout } from 'node:timers/promises'
import { max, sql } from 'drizzle-orm'
import { bigint, pgSchema, QueryBuilder, serial, text } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import { NotMigratedError, OperatorError } from '../../base/errors.ts'
import { forCitus, readWhetherDistributed } from '../citus/migrations.ts'
import {
  buildStatement,
  fixedStatement,
  nameOf,
  parameter,
  type Statement,
  type TextRow,
} from '../postgres/statement.ts'
import { type Index, planMigrations, type Step } from './migrations.ts'

/** An arbitrary constant, which must be the same in every version of this program. */
const LOCK = '7138250117'
/** Milliseconds between attempts to take it. */
const LOCK_INTERVAL_MS = 200

/** How often a migration waits for a table that others hold, and the milliseconds between. */
const MAX_ATTEMPTS = 30
const ATTEMPT_INTERVAL_MS = 1_000

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

const inspect = fixedStatement(
  'inspectDatabase',
  sql`
    select current_setting('server_encoding'), to_regclass(${sql.raw(`'${SCHEMA}.${TABLE}'`)})::text,
      (select true from pg_extension where extname = 'citus')::text`,
)
const findNewest = fixedStatement(
  'findNewestMigration',
  new QueryBuilder()
    .select({ newest: max(migrations.createdAt) })
    .from(migrations)
    .getSQL(),
)
const createSchema = toStatement(`create schema if not exists ${SCHEMA}`)
const createTable = fixedStatement(
  'createMigrationsTable',
  sql`
    create table if not exists ${migrations} (
      ${nameOf(migrations.id)} serial primary key,
      ${nameOf(migrations.hash)} text not null,
      ${nameOf(migrations.createdAt)} bigint
    )`,
)
const record = buildStatement<'hash' | 'when'>(
  'recordMigration',
  sql`
    insert into ${migrations} (${nameOf(migrations.hash)}, ${nameOf(migrations.createdAt)})
    values (${parameter('hash', 'text')}, ${parameter('when', 'bigint')})`,
)

export interface MigrationOptions {
  /** Whether to migrate, or only to check. */
  migrates: boolean
  /** Whether others may use the database meanwhile, so that their writes must not be stopped for long. */
  isShared: boolean
  /** Ends the waits for others. */
  signal?: AbortSignal
}

/**
 * Brings the tables up to date. Servers that do this at once take turns, using an advisory lock. It is not done by Drizzle's
 * migrate(), which takes no lock (drizzle-orm#874) and cannot build an index concurrently, but leaves the same records.
 * @param connect makes a client with one connection, which holds the lock; it is closed at the end
 * @returns whether the tables of resources are distributed over the workers of a Citus cluster
 * @throws OperatorError if the database is not UTF-8; NotMigratedError if it is older and must not be migrated
 */
export async function migrateDatabase(
  connect: () => Sql,
  options: MigrationOptions,
): Promise<{ isDistributed: boolean }> {
  for (let attempt = 1; ; attempt += 1) {
    const client = connect()
    try {
      const { isCitus } = await migrateOnce(client, options)
      return {
        isDistributed: isCitus && (await readWhetherDistributed((statement) => run(client, statement))),
      }
    } catch (error) {
      if (!isLockTimeout(error) || attempt === MAX_ATTEMPTS) throw error
    } finally {
      await client.end({ timeout: 2 })
    }
    await setTimeout(ATTEMPT_INTERVAL_MS, undefined, { signal: options.signal })
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

async function migrateOnce(client: Sql, { migrates, isShared, signal }: MigrationOptions): Promise<Found> {
  const found = await inspectDatabase(client)
  if (await isUpToDate(client, found, isShared)) return found
  if (!migrates) throw new NotMigratedError()
  while ((await run(client, tryLock))[0]?.[0] !== 'true')
    await setTimeout(LOCK_INTERVAL_MS, undefined, { signal })
  // Another server may have migrated meanwhile, so this checks again.
  const { newest, isCitus } = await inspectDatabase(client)
  const steps = planMigrations(newest, { isShared })
  for (const statement of [waitLong, createSchema, createTable]) await run(client, statement)
  for (const step of steps) {
    await applyStatements(client, step, isCitus)
    for (const index of step.indexes) await buildIndex(client, index)
  }
  await run(client, unlock)
  return found
}

interface Found {
  /** The newest migration on record; 0 if there is none. */
  newest: number
  /** Whether the extension is there; the tables may be distributed, or still be tables of the coordinator alone. */
  isCitus: boolean
}

/** @throws OperatorError */
async function inspectDatabase(client: Sql): Promise<Found> {
  const [[encoding, table, citus] = []] = await run(client, inspect)
  if (encoding !== 'UTF8')
    throw new OperatorError(
      `The encoding of the database is ${encoding}, which cannot store every name.\n` +
        'Create the database with ENCODING UTF8 (TEMPLATE template0).',
    )
  const isCitus = citus === 'true'
  if (table == null) return { newest: 0, isCitus }
  const [[newest] = []] = await run(client, findNewest)
  return { newest: Number(newest ?? 0), isCitus }
}

async function isUpToDate(client: Sql, { newest }: Found, isShared: boolean): Promise<boolean> {
  const steps = planMigrations(newest, { isShared })
  if (steps.some(({ statements }) => statements !== null)) return false
  for (const index of steps.flatMap(({ indexes }) => indexes))
    if ((await findState(client, index)) !== 'valid') return false
  return true
}

async function applyStatements(
  client: Sql,
  { statements, hash, when }: Step,
  isCitus: boolean,
): Promise<void> {
  if (!statements) return
  await run(client, toStatement('begin'))
  await run(client, waitBriefly)
  for (const statement of isCitus ? forCitus(statements) : statements)
    await run(client, toStatement(statement))
  await run(client, record.with({ hash, when: String(when) }))
  await run(client, toStatement('commit'))
}

/** An interrupted build leaves an invalid index, which no query uses. */
async function buildIndex(client: Sql, index: Index): Promise<void> {
  const state = await findState(client, index)
  if (state === 'valid') return
  if (state === 'invalid') await run(client, toStatement(`drop index concurrently "${index.name}"`))
  await run(client, toStatement(index.concurrent))
}

async function findState(client: Sql, { name }: Index): Promise<'valid' | 'invalid' | 'missing'> {
  const text = `select indisvalid::text from pg_index where indexrelid = to_regclass('"${name}"')`
  const [[isValid] = []] = await run(client, toStatement(text))
  return isValid == null ? 'missing' : isValid === 'true' ? 'valid' : 'invalid'
}

function toStatement(text: string): Statement {
  return fixedStatement('migrateDatabase', sql.raw(text))
}

async function run(client: Sql, { text, parameters }: Statement): Promise<TextRow[]> {
  return client.unsafe<Record<string, string | null>[]>(text, [...parameters]).values()
}
