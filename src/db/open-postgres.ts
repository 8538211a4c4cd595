/** What must have happened to a Postgres before requests may use it. */
import { setTimeout } from 'node:timers/promises'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { type DatabaseVariable, dedicatedVariableOf, type PostgresConfig } from '../config/database-config.ts'
import { OpeningError } from './database.ts'
import type { Abilities } from './database-state.ts'
import { migrateDatabase } from './migrations/migrate-database.ts'
import type { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { readIdentity } from './postgres/identity.ts'
import type { Queryable } from './postgres/pool.ts'
import { findDatabaseError, originalOf, unwrapQueryError } from './postgres/postgres-errors.ts'
import { checkDatabase } from './start-checks.ts'

/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY_MS = 500

interface OpeningOptions {
  config: PostgresConfig
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only dedicated connections will be used. */
  onlyDedicated: boolean
  connect: () => DedicatedConnection
  /** Where the statements of requests will go. */
  requests: Queryable
  /** Those of the resources. */
  tables: readonly string[]
  /** The last step. @param abilities of the database, as the checks have found */
  prepare: (abilities: Abilities) => Promise<void>
  /** Called after each attempt that has failed. @param variable the one whose URL failed */
  onWaiting: (reason: ServiceError, variable: DatabaseVariable) => void
  /** Called when an attempt waits for another migration, or for a transaction. */
  onMigrationWaiting: (reason: string) => void
  /** Ends the attempts. */
  signal: AbortSignal
}

/**
 * Migrates and checks a Postgres, which need not be up yet: it tries until that succeeds, or the signal ends it.
 * @throws OperatorError, OpeningError if waiting cannot help
 */
export async function openPostgres(options: OpeningOptions): Promise<void> {
  const { onWaiting, signal } = options
  while (!signal.aborted) {
    const waiting = await tryToOpen(options)
    if (!waiting) return
    onWaiting(waiting.reason, waiting.variable)
    await setTimeout(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** @returns what to wait for; null if there is nothing, or the signal was aborted */
async function tryToOpen(
  options: OpeningOptions,
): Promise<{ reason: ServiceError; variable: DatabaseVariable } | null> {
  const { config, migrates, onlyDedicated, connect, requests, tables, prepare, onMigrationWaiting, signal } =
    options
  const direct = dedicatedVariableOf(config)
  /** That of the step in hand: it is reported if the step fails. */
  let variable = direct
  const step = async <Result>(at: DatabaseVariable, run: () => Promise<Result>): Promise<Result> => {
    variable = at
    const result = await run()
    signal.throwIfAborted()
    return result
  }
  const migrate = () => migrateDatabase(connect, { migrates, onWaiting: onMigrationWaiting, signal })
  try {
    if (onlyDedicated) {
      await step(direct, migrate)
      return null
    }
    const identity = config.directHosts && (await step(direct, () => readIdentityBy(connect)))
    await step('DATABASE_URL', () => requireSame(requests, identity))
    await step(direct, migrate)
    // If DATABASE_URL is a pooler but does not say so, this is the first call that fails.
    const { isDistributed, mayIdentify } = await step('DATABASE_URL', () => checkDatabase(requests, tables))
    const isIdentified = config.directHosts === null || identity !== null
    const abilities = { mayIdentify: mayIdentify && isIdentified, hasTriggers: !isDistributed }
    await step('DATABASE_URL', () => prepare(abilities))
    return null
  } catch (error) {
    if (signal.aborted) return null
    const reason = unwrapQueryError(error)
    const isLasting = findDatabaseError(reason)?.kind === 'lasting'
    if (reason instanceof ServiceError && !isLasting) return { reason, variable }
    // A peer that is no Postgres may make the driver throw anything.
    throw reason instanceof OperatorError ? reason : new OpeningError(variable, originalOf(error))
  }
}

async function readIdentityBy(connect: () => DedicatedConnection): Promise<string | null> {
  await using connection = connect()
  return await readIdentity(connection)
}

/**
 * @param direct the database that DATABASE_LISTEN_URL leads to; null if it is absent, or Postgres does not say
 * @throws OperatorError if requests would use another one, which would not be migrated, and whose events would not arrive
 */
async function requireSame(requests: Queryable, direct: string | null): Promise<void> {
  if (direct === null) return
  const identity = await readIdentity(requests)
  if (identity !== null && identity !== direct)
    throw new OperatorError('DATABASE_LISTEN_URL and DATABASE_URL must point to the same database.')
}
