import { setTimeout } from 'node:timers/promises'
import { max, sql } from 'drizzle-orm'
import { bigint, pgSchema, QueryBuilder, serial, text } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import { NotMigratedError, StartError } from '../errors.ts'
import { type Index, planMigrations, type Step } from './migrations.ts'
import { nameOf } from './pet.ts'
import { buildStatement, parameter, type Statement, type TextRow } from './postgres/statement.ts'

/** An arbitrary constant, which must be the same in every version of this program. */
const LOCK = '7138250117'
/** Milliseconds between attempts to get it. */
const LOCK_INTERVAL = 200

/** How often a migration waits for a table that others hold, and the milliseconds between. */
const MAX_ATTEMPTS = 30
const ATTEMPT_INTERVAL = 1_000

/** Drizzle's own record of the migrations that were applied; earlier versions of this program wrote it through Drizzle. */
const SCHEMA = 'drizzle'
const TABLE = '__drizzle_migrations'
const migrations = pgSchema(SCHEMA).table(TABLE, {
  id: serial(),
  hash: text(),
  createdAt: bigint('created_at', { mode: 'number' }),
})

const inspect = buildStatement(
  'inspectDatabase',
  sql`select current_setting('server_encoding'), to_regclass(${sql.raw(`'${SCHEMA}.${TABLE}'`)})::text`,
).with({})
const findNewest = buildStatement(
  'findNewestMigration',
  new QueryBuilder()
    .select({ newest: max(migrations.createdAt) })
    .from(migrations)
    .getSQL(),
).with({})
const createSchema = toStatement(`create schema if not exists ${SCHEMA}`)
const createTable = buildStatement(
  'createMigrationsTable',
  sql`
    create table if not exists ${migrations} (
      ${nameOf(migrations.id)} serial primary key,
      ${nameOf(migrations.hash)} text not null,
      ${nameOf(migrations.createdAt)} bigint
    )`,
).with({})
const record = buildStatement<'hash' | 'when'>(
  'recordMigration',
  sql`
    insert into ${migrations} (${nameOf(migrations.hash)}, ${nameOf(migrations.createdAt)})
    values (${parameter('hash', 'text')}, ${parameter('when', 'bigint')})`,
)
// pg_advisory_lock would keep a snapshot while it waits, and an index that is built concurrently waits for all older snapshots.
const tryLock = toStatement(`select pg_try_advisory_lock(${LOCK})::text`)
const unlock = toStatement(`select pg_advisory_unlock(${LOCK})`)
/** The user may have a limit of its own, but an index may have to wait long for others' transactions. */
const waitLong = toStatement('set lock_timeout = 0')
/** Writes to a table have to wait behind a migration that waits for it. */
const waitBriefly = toStatement(`set local lock_timeout = '1s'`)

function toStatement(text: string): Statement {
  return buildStatement('migrateDatabase', sql.raw(text)).with({})
}

export interface MigrationOptions {
  /** Whether to migrate, or only to check. */
  migrates: boolean
  /** Whether others may use the database meanwhile, so that their writes must not be stopped for long. */
  isShared: boolean
}

/**
 * Brings the tables up to date. Servers that do this at once take turns, using an advisory lock. It is not done by Drizzle's
 * migrate(), which takes no lock (drizzle-orm#874) and cannot build an index concurrently, but leaves the same records.
 * @param connect makes a client with one connection, which holds the lock; it is closed at the end
 * @throws StartError if the database is not UTF-8; NotMigratedError if it is older and must not be migrated
 */
export async function migrateDatabase(connect: () => Sql, options: MigrationOptions): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = connect()
    try {
      await migrateOnce(client, options)
      return
    } catch (error) {
      if (!isLockTimeout(error) || attempt === MAX_ATTEMPTS) throw error
    } finally {
      await client.end({ timeout: 2 })
    }
    await setTimeout(ATTEMPT_INTERVAL)
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

async function migrateOnce(client: Sql, { migrates, isShared }: MigrationOptions): Promise<void> {
  if (await isUpToDate(client, isShared)) return
  if (!migrates) throw new NotMigratedError()
  while ((await run(client, tryLock))[0]?.[0] !== 'true') await setTimeout(LOCK_INTERVAL)
  // Another server may have migrated meanwhile, so this looks again.
  const steps = planMigrations(await readNewest(client), { isShared })
  for (const statement of [waitLong, createSchema, createTable]) await run(client, statement)
  for (const step of steps) {
    await applyStatements(client, step)
    for (const index of step.indexes) await buildIndex(client, index)
  }
  await run(client, unlock)
}

async function isUpToDate(client: Sql, isShared: boolean): Promise<boolean> {
  const steps = planMigrations(await readNewest(client), { isShared })
  if (steps.some(({ statements }) => statements !== null)) return false
  for (const index of steps.flatMap(({ indexes }) => indexes))
    if ((await findState(client, index)) !== 'valid') return false
  return true
}

/** @returns the newest migration on record; 0 if there is none. @throws StartError */
async function readNewest(client: Sql): Promise<number> {
  const [[encoding, table] = []] = await run(client, inspect)
  if (encoding !== 'UTF8')
    throw new StartError(
      `The encoding of the database is ${encoding}, in which not every name can be stored.\n` +
        'Create the database with ENCODING UTF8 (TEMPLATE template0).',
    )
  if (table == null) return 0
  const [[newest] = []] = await run(client, findNewest)
  return Number(newest ?? 0)
}

async function applyStatements(client: Sql, { statements, hash, when }: Step): Promise<void> {
  if (!statements) return
  await run(client, toStatement('begin'))
  await run(client, waitBriefly)
  for (const statement of statements) await run(client, toStatement(statement))
  await run(client, record.with({ hash, when: String(when) }))
  await run(client, toStatement('commit'))
}

/** A build that was broken off leaves an invalid index, which no query uses. */
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

async function run(client: Sql, { text, parameters }: Statement): Promise<TextRow[]> {
  return client.unsafe<Record<string, string | null>[]>(text, [...parameters]).values()
}
