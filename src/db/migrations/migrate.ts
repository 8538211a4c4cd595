import { setTimeout } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { NotMigratedError } from '../../base/errors.ts'
import { forCitus, readWhetherDistributed } from '../citus/migrations.ts'
import {
  createSchema,
  createTable,
  type Found,
  inspectDatabase,
  record,
  run,
  toStatement,
} from './migration-records.ts'
import { type Index, planMigrations, type Step } from './migrations.ts'

/** An arbitrary constant, which must be the same in every version of this program. */
const LOCK = '7138250117'
/** Milliseconds between attempts to take it. */
const LOCK_INTERVAL = 200

/** How often a migration waits for a table that others hold, and the milliseconds between. */
const MAX_ATTEMPTS = 30
const ATTEMPT_INTERVAL = 1_000

// pg_advisory_lock would keep a snapshot while it waits, and an index that is built concurrently waits for all older snapshots.
const tryLock = toStatement(`select pg_try_advisory_lock(${LOCK})::text`)
const unlock = toStatement(`select pg_advisory_unlock(${LOCK})`)
/** The user may have a limit of its own, but an index may have to wait a long time for others' transactions. */
const waitLong = toStatement('set lock_timeout = 0')
/** Writes to a table have to wait behind a migration that waits for it. */
const waitBriefly = toStatement(`set local lock_timeout = '1s'`)

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
 * @throws StartError if the database is not UTF-8; NotMigratedError if it is older and must not be migrated
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
    await setTimeout(ATTEMPT_INTERVAL, undefined, { signal: options.signal })
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
    await setTimeout(LOCK_INTERVAL, undefined, { signal })
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
