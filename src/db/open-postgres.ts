/** What must have happened to a Postgres before requests may use it. */
import { setTimeout } from 'node:timers/promises'
import type { Observation } from '../base/observation.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { type DatabaseVariable, dedicatedVariableOf, type PostgresConfig } from '../config/database-config.ts'
import { OpeningError } from './database.ts'
import { askState, type DatabaseState, type DatabaseTraits } from './database-state.ts'
import { migrateDatabase } from './migrations/migrate-database.ts'
import type { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { readIdentity } from './postgres/identity.ts'
import type { Queryable } from './postgres/pool.ts'
import { findDatabaseError, originalOf, unwrapQueryError } from './postgres/postgres-errors.ts'
import type { Statement } from './postgres/statement.ts'
import { runStartChecks } from './start-checks.ts'

/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY_MS = 500

/** What a Postgres has answered when it was opened. */
export interface OpeningAnswers {
  traits: DatabaseTraits
  state: DatabaseState
}

/** Why a Postgres is not open yet. */
export type Waiting = Extract<Observation, { type: 'database waiting' | 'migration waiting' }>

interface OpeningOptions {
  config: PostgresConfig
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only dedicated connections will be used. */
  onlyDedicated: boolean
  connect: (options: { hasTimeLimit: boolean }) => DedicatedConnection
  /** Where the statements of requests will go. */
  requests: Queryable
  /** Those of the resources. */
  tables: readonly string[]
  /** Called after each attempt that has failed, and when one waits for another migration, or for a transaction. */
  onWaiting: (waiting: Waiting) => void
  /** Ends the attempts. */
  signal: AbortSignal
}

/**
 * Migrates and checks a Postgres, which need not be up yet: it tries until that succeeds, or the signal ends it.
 * @returns null if only dedicated connections will be used, so nothing was asked, or if the signal was aborted
 * @throws OperatorError, OpeningError if waiting cannot help
 */
export async function openPostgres(options: OpeningOptions): Promise<OpeningAnswers | null> {
  const { onWaiting, signal } = options
  while (!signal.aborted) {
    const result = await tryToOpen(options)
    if (result === null || !('type' in result)) return result
    onWaiting(result)
    await setTimeout(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
  }
  return null
}

/** @returns as openPostgres, or what to wait for */
async function tryToOpen(options: OpeningOptions): Promise<OpeningAnswers | Waiting | null> {
  const { config, migrates, onlyDedicated, connect, requests, tables, signal } = options
  const direct = dedicatedVariableOf(config)
  /** That of the step in hand: it is reported if the step fails. */
  let variable = direct
  const step = async <Result>(at: DatabaseVariable, run: () => Promise<Result>): Promise<Result> => {
    variable = at
    const result = await run()
    signal.throwIfAborted()
    return result
  }
  const onWaiting = (reason: string) => options.onWaiting({ type: 'migration waiting', reason })
  const migrate = () => migrateDatabase(connect, { migrates, onWaiting, signal })
  try {
    if (onlyDedicated) {
      await step(direct, migrate)
      return null
    }
    const identity = config.directHosts && (await step(direct, () => readIdentityBy(connect)))
    await step('DATABASE_URL', () => requireSame(requests, identity))
    await step(direct, migrate)
    // If DATABASE_URL is a pooler but does not say so, this is the first call that fails.
    const { mayIdentify, isDistributed } = await step('DATABASE_URL', () => runStartChecks(requests, tables))
    const isIdentified = config.directHosts === null || identity !== null
    const traits = { mayIdentify: mayIdentify && isIdentified, isDistributed }
    const query = (statement: Statement) => requests.query(statement)
    const state = await step('DATABASE_URL', () => askState(query, tables, traits))
    return { traits, state }
  } catch (error) {
    if (signal.aborted) return null
    const reason = unwrapQueryError(error)
    const isLasting = findDatabaseError(reason)?.kind === 'lasting'
    if (reason instanceof ServiceError && !isLasting) return { type: 'database waiting', reason, variable }
    // A peer that is no Postgres may make the driver throw anything.
    throw reason instanceof OperatorError ? reason : new OpeningError(variable, originalOf(error))
  }
}

async function readIdentityBy(connect: OpeningOptions['connect']): Promise<string | null> {
  await using connection = connect({ hasTimeLimit: true })
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
