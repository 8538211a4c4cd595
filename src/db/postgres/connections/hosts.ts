import { formatHostPort } from '../../../base/host-port.ts'
import { causeOf } from '../../../base/thrown.ts'
import type { PostgresAddress } from '../../../config/database-url.ts'
import { CODES, meaningOfFatal } from '../error-codes.ts'
import { type DatabaseServiceError, findDatabaseError, isRefusal, toFatalError } from '../postgres-errors.ts'
import { OPEN_LIMIT_MS, OPEN_LIMIT_OF_HOST_MS } from '../time-limits.ts'
import type { HostConnection, Opened } from './host-connection.ts'

/** Milliseconds for which a host that did not answer is asked last. */
const ASK_LAST_MS = 30_000
const NO_ANSWER = `no answer in ${OPEN_LIMIT_OF_HOST_MS / 1_000} s`
/** Milliseconds after no host was a primary, in which statements fail at once instead of asking all hosts again. */
const NO_PRIMARY_PAUSE_MS = 250

/** Opens a connection to a host. @param limit milliseconds that it may take */
type Open = (address: PostgresAddress, limit: number) => Promise<Opened>

/** Why a host gives no connection to a primary. */
interface Failure {
  address: PostgresAddress
  /** What the log says of it. */
  problem: string
  /** null: it is a standby. */
  error: unknown
}

/**
 * The hosts of a database URL. Each new connection asks one after the other until one is not in recovery, as libpq does for
 * target_session_attrs=primary, beginning with the last primary found. A single host is used even if it is in recovery.
 */
export class Hosts {
  readonly #addresses: readonly PostgresAddress[]
  /** The last primary found; null: none yet. */
  #primary: PostgresAddress | null = null
  /** When hosts last did not answer (performance.now()). */
  readonly #silentSince = new Map<PostgresAddress, number>()
  /** Why no primary was found, and until when the next searches fail with the same error. */
  #failure: { error: Error; until: number } | null = null
  /** Changes whenever a search finds the primary. */
  #found = 0

  constructor(addresses: readonly PostgresAddress[]) {
    this.#addresses = addresses
  }

  /** @throws DatabaseServiceError as `combine`; for a single host, what `open` throws */
  async findPrimary(open: Open): Promise<HostConnection> {
    const [only, ...others] = this.#addresses
    if (only && others.length === 0) return (await open(only, OPEN_LIMIT_MS)).connection
    if (this.#failure && performance.now() < this.#failure.until) throw this.#failure.error
    const found = this.#found
    const failures: Failure[] = []
    for (const address of this.#inOrder()) {
      const answer = await this.#ask(address, open)
      if ('connection' in answer) return answer.connection
      failures.push(answer)
    }
    const error = combine(failures)
    // No pause: it may allow a connection as soon as one of its clients leaves.
    if (isRefusal(error)) throw error
    // If another search has found the primary meanwhile, this one has asked it too early.
    if (this.#found === found) this.#failure = { error, until: performance.now() + NO_PRIMARY_PAUSE_MS }
    throw error
  }

  /** @returns a connection to the primary, or why this host gives none @throws if the search itself has ended: its caller has destroyed it */
  async #ask(address: PostgresAddress, open: Open): Promise<{ connection: HostConnection } | Failure> {
    try {
      const { connection, isStandby } = await open(address, OPEN_LIMIT_OF_HOST_MS)
      if (!isStandby) {
        this.#onPrimary(address)
        return { connection }
      }
      connection.destroy()
      return { address, problem: 'a standby', error: null }
    } catch (error) {
      const { databaseCode } = findDatabaseError(error) ?? {}
      if (databaseCode === CODES.CONNECTION_DESTROYED) throw error
      if (databaseCode !== CODES.CONNECT_TIMEOUT) return { address, problem: causeOf(error), error }
      this.#silentSince.set(address, performance.now())
      return { address, problem: NO_ANSWER, error }
    }
  }

  #onPrimary(address: PostgresAddress): void {
    this.#primary = address
    this.#failure = null
    this.#found += 1
    this.#silentSince.delete(address)
  }

  #inOrder(): PostgresAddress[] {
    const priority = (address: PostgresAddress) => {
      if (performance.now() - (this.#silentSince.get(address) ?? -Infinity) < ASK_LAST_MS) return 2
      return address === this.#primary ? 0 : 1
    }
    return this.#addresses.toSorted((one, other) => priority(one) - priority(other))
  }
}

/**
 * What the failures of all hosts mean together: that Postgres has refused a connection, if one host has, since only a connection would say
 * whether it is the primary; what all of them say, if it is the same; that waiting does not help, if it helps with none of them.
 * Otherwise, that there is no primary.
 */
function combine(failures: readonly Failure[]): DatabaseServiceError {
  const message = failures.map(({ address, problem }) => `${formatHostPort(address)}: ${problem}`).join('; ')
  if (failures.some(({ error }) => isRefusal(error)))
    return toFatalError({ code: CODES.TOO_MANY_CONNECTIONS, message })
  const codes = failures.map(({ error }) => findDatabaseError(error)?.databaseCode ?? CODES.NO_PRIMARY)
  const [first = CODES.NO_PRIMARY, ...others] = codes
  const isCommon =
    others.every((code) => code === first) || codes.every((code) => meaningOfFatal(code).kind === 'lasting')
  return toFatalError({ code: isCommon ? first : CODES.NO_PRIMARY, message })
}
