/**
 * What must have happened to a Postgres before requests may use it. Until then, they fail with what is waited for (`PostgresDatabase`).
 */
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { DatabaseVariable } from '../../base/database-variable.ts'
import type { Observation } from '../../base/observation.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { ServiceError } from '../../base/service-error.ts'
import { dedicatedVariableOf, type PostgresConfig } from '../../config/database-config.ts'
import { OpeningError, toOpeningError } from '../opening-error.ts'
import { askState, type DatabaseState, type DatabaseTraits } from '../database-state.ts'
import { type ConnectToMigrate, migrateDatabase } from '../migrations/migrate-database.ts'
import { readIdentity } from '../postgres/identity.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import {
  adviceFor,
  findDatabaseError,
  isRefusal,
  originalOf,
  unwrapQueryError,
} from '../postgres/postgres-errors.ts'
import { runStartChecks } from './start-checks.ts'

/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY_MS = 500
/** How often is tried without `waits` while Postgres has too many connections, so for 3 s: one that was just closed may still count. */
const REFUSED_ATTEMPTS = 7

/** What a Postgres has answered when it was opened. */
export interface OpeningAnswers {
  traits: DatabaseTraits
  state: DatabaseState
}

/** Why a Postgres is not open yet. */
export type Waiting = Extract<Observation, { type: 'database waiting' | 'migration waiting' }>

type OnWaiting = (waiting: Waiting) => void

interface MigratingOptions {
  config: PostgresConfig
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Whether to wait for a Postgres that is not up yet, or to fail. Another migration is waited for in any case. */
  waits: boolean
  /** Makes a dedicated connection. */
  connect: ConnectToMigrate
  /** Called after an attempt that has failed, and when one waits for another migration, or for a transaction: once, until it is something else. */
  onWaiting: OnWaiting
  /** Ends the attempts. */
  signal: AbortSignal
}

interface OpeningOptions extends MigratingOptions {
  /** Where the statements of requests will go. */
  requests: StatementTarget
  /** Those of the resources. */
  tables: readonly string[]
}

/**
 * Migrates and checks a Postgres, which need not be up yet if `waits`: it tries until that succeeds.
 * @returns null if the signal was aborted
 * @throws OperatorError, OpeningError if waiting cannot help, or it must not wait
 */
export function openPostgres(options: OpeningOptions): Promise<OpeningAnswers | null> {
  return retry((onWaiting) => open({ ...options, onWaiting }), options)
}

/** All that a program needs which will only use dedicated connections. @throws as openPostgres */
export async function migratePostgres(options: MigratingOptions): Promise<void> {
  await retry((onWaiting) => migrate({ ...options, onWaiting }), options)
}

/**
 * Tries again as long as waiting may help; without `waits`, only for a moment, for a connection.
 * @param attempt is given what reports a wait, unless it was reported last
 * @returns null if the signal was aborted
 */
async function retry<Result>(
  attempt: (onWaiting: OnWaiting) => Promise<Result>,
  { waits, onWaiting, signal }: Pick<MigratingOptions, 'waits' | 'onWaiting' | 'signal'>,
): Promise<Result | null> {
  let last: Waiting | null = null
  const report: OnWaiting = (waiting) => {
    if (last === null || !isSame(waiting, last)) onWaiting(waiting)
    last = waiting
  }
  for (let attempts = 1; ; attempts += 1) {
    try {
      signal.throwIfAborted()
      return await attempt(report)
    } catch (error) {
      if (signal.aborted) return null
      if (!(error instanceof StepNotReady)) throw error
      const { reason, variable } = error
      // Attempts are counted, not seconds: one that has a connection may migrate for long.
      const mayTryAgain = waits || (isRefusal(reason) && attempts < REFUSED_ATTEMPTS)
      if (!mayTryAgain) throw new OpeningError(variable, reason)
      report({ type: 'database waiting', reason, variable, advice: adviceFor(reason) })
    }
    await setTimeout(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Whether two reports would say the same. Without a cause, only the code tells errors apart. */
function isSame(one: Waiting, other: Waiting): boolean {
  const toComparable = (waiting: Waiting) =>
    waiting.type === 'migration waiting'
      ? [waiting.reason]
      : [waiting.variable, waiting.reason.code, waiting.reason.cause]
  return isDeepStrictEqual(toComparable(one), toComparable(other))
}

/** @throws as `nameOnFailure` */
async function open(options: OpeningOptions): Promise<OpeningAnswers> {
  const { config, connect, requests, tables } = options
  const direct =
    config.directHosts && (await nameOnFailure('DATABASE_LISTEN_URL', () => readIdentityBy(connect)))
  await nameOnFailure('DATABASE_URL', () => requireSame(requests, direct))
  await migrate(options)
  const { mayIdentify, isDistributed } = await nameOnFailure('DATABASE_URL', () =>
    runStartChecks(requests, tables),
  )
  if (isDistributed && config.standbys.length > 0)
    // A standby of the coordinator has no rows of distributed tables; what it sees of them is unrelated to its position in the WAL.
    throw new OperatorError(
      'DATABASE_READ_URL cannot be used with a distributed database (Citus). Remove it.',
    )
  const isDirectIdentifiable = config.directHosts === null || direct !== null
  const traits = { isIdentifiable: mayIdentify && isDirectIdentifiable, isDistributed }
  const state = await nameOnFailure('DATABASE_URL', () => askState(requests, tables, traits))
  return { traits, state }
}

/** @throws as `nameOnFailure` */
async function migrate({ config, migrates, connect, onWaiting, signal }: MigratingOptions): Promise<void> {
  const onBlocked = (reason: string) => onWaiting({ type: 'migration waiting', reason })
  await nameOnFailure(dedicatedVariableOf(config), () =>
    migrateDatabase(connect, { migrates, onWaiting: onBlocked, signal }),
  )
}

/** A step has failed in a way that waiting may mend. */
class StepNotReady extends Error {
  readonly reason: ServiceError
  readonly variable: DatabaseVariable

  constructor(reason: ServiceError, variable: DatabaseVariable) {
    super(`${variable} is not ready`, { cause: reason })
    this.reason = reason
    this.variable = variable
  }
}

/**
 * Runs a step, and names a variable if it fails. Every error of the database or of a check (ServiceError) is waited for but the lasting ones;
 * all else is a bug, or for the operator.
 * @param variable the one whose URL the step uses
 * @throws StepNotReady; OperatorError, OpeningError if waiting cannot help
 */
async function nameOnFailure<Result>(
  variable: DatabaseVariable,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    const reason = unwrapQueryError(error)
    const isLasting = findDatabaseError(reason)?.kind === 'lasting'
    if (reason instanceof ServiceError && !isLasting) throw new StepNotReady(reason, variable)
    // A peer that is no Postgres may make the driver throw anything.
    throw toOpeningError(variable, originalOf(reason))
  }
}

async function readIdentityBy(connect: ConnectToMigrate): Promise<string | null> {
  await using connection = connect({ hasTimeLimit: true })
  return await readIdentity(connection)
}

/**
 * @param direct the database that DATABASE_LISTEN_URL leads to; null if it is absent, or Postgres does not say
 * @throws OperatorError if requests would use another one, which would not be migrated, and whose events would not arrive
 */
async function requireSame(requests: StatementTarget, direct: string | null): Promise<void> {
  if (direct === null) return
  const identity = await readIdentity(requests)
  if (identity !== null && identity !== direct)
    throw new OperatorError('DATABASE_LISTEN_URL and DATABASE_URL must point to the same database.')
}
