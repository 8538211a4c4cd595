import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/service-error.ts'
import { waitAtMost } from '../../base/time-limit.ts'
import type { Connection } from '../postgres/connections/connection.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import { fixedStatement } from '../postgres/statement.ts'
import type { EventFeed } from './event-feed.ts'
import { listenTo } from './event-notifications.ts'

/** Milliseconds between heartbeats: a peer that has vanished is only noticed by a statement, after SILENCE_LIMIT_MS. */
const HEARTBEAT_MS = 3_000
const heartbeat = fixedStatement('heartbeat', sql`select`)
/** Milliseconds within which a notification has to arrive. */
const ARRIVAL_LIMIT_MS = 2_000

/** Asks where events are sent (`placeOf`). @throws as `target` */
interface PlaceSource {
  /** As a connection sees it. */
  askOver(target: StatementTarget): Promise<{ place: string }>
  /** As the connections to the primary see it. */
  check(): Promise<{ place: string }>
}

type ListeningConnection = Pick<Connection, 'run' | 'destroy'>

interface ListenerOptions {
  /** Creates a connection, which calls `onClosed` when either side has closed it, or within `destroy`; `onnotify` for each notification. */
  connect: (onClosed: () => void, onnotify: (channel: string, payload: string) => void) => ListeningConnection
  /** Those whose events it gets. */
  tables: readonly string[]
  /** Receives each notification. All its subscriptions end when events may have been missed. */
  feed: Pick<EventFeed, 'receive' | 'endAll'>
  places: PlaceSource
  /** On which this server writes. */
  primary: StatementTarget
}

/** Listens for events on its own connection, since a listening session cannot be shared. */
export class EventListener {
  readonly #options: ListenerOptions
  /** null: it does not listen, nor begins to. */
  #connection: ListeningConnection | null = null
  #heartbeat: NodeJS.Timeout | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
  async listen(): Promise<void> {
    const { connect, tables, feed, places } = this.#options
    this.disconnect()
    let isListening = false
    const onClosed = () => {
      // After `disconnect`, it is no longer the current one.
      if (connection !== this.#connection) return
      this.disconnect()
      if (isListening) feed.endAll()
    }
    const probe = createProbe()
    const connection = connect(onClosed, (channel, payload) => {
      if (channel === probe.channel) probe.arrive()
      else feed.receive(payload)
    })
    this.#connection = connection
    try {
      // Before it listens: if the tables are replaced in between, the next heartbeat finds out.
      const { place } = await places.askOver({ query: (statement) => connection.run(statement) })
      await this.#requireSamePlace(place)
      await this.#requireArrival(connection, probe)
      await connection.run(listenTo(tables))
      // It may have been closed while the answer arrived: nothing would notice that later.
      if (connection !== this.#connection) throw new ServiceError('DATABASE_UNAVAILABLE')
      isListening = true
      this.#scheduleHeartbeat(connection, place)
    } catch (error) {
      // Calls `onClosed`, which forgets it.
      connection.destroy()
      throw error
    }
  }

  /** Stops listening until the next call of `listen`. */
  disconnect(): void {
    const connection = this.#connection
    this.#connection = null
    clearTimeout(this.#heartbeat)
    connection?.destroy()
  }

  /** A connection on which it fails is closed, and so is one on which the events no longer arrive. */
  #scheduleHeartbeat(connection: ListeningConnection, place: string): void {
    if (connection !== this.#connection) return
    this.#heartbeat = setTimeout(() => {
      Promise.all([connection.run(heartbeat), this.#requireSamePlace(place)]).then(
        () => this.#scheduleHeartbeat(connection, place),
        () => connection.destroy(),
      )
    }, HEARTBEAT_MS)
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE if events are sent elsewhere now */
  async #requireSamePlace(place: string): Promise<void> {
    // If it is not known, the next heartbeat asks again.
    const state = await this.#options.places.check().catch(() => null)
    if (!state || state.place === place) return
    const cause = 'the connection for live updates leads to other tables than those for statements'
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause })
  }

  /** A pooler in transaction mode accepts LISTEN, but passes no notification on. @throws ServiceError DATABASE_UNAVAILABLE */
  async #requireArrival(connection: ListeningConnection, { channel, arrived }: Probe): Promise<void> {
    const command = (verb: string) => fixedStatement(verb, sql.raw(`${verb} "${channel}"`))
    await connection.run(command('listen'))
    await this.#options.primary.query(fixedStatement('notify', sql`select pg_notify(${channel}, '')`))
    const hasArrived = await waitAtMost(ARRIVAL_LIMIT_MS, arrived)
    // First, since it fails if the connection was lost meanwhile.
    await connection.run(command('unlisten'))
    if (hasArrived) return
    const cause = 'notifications do not arrive: is there a pooler that the URL does not declare?'
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause })
  }
}

/** A notification to one connection alone. */
type Probe = ReturnType<typeof createProbe>

function createProbe() {
  const { promise: arrived, resolve } = Promise.withResolvers<true>()
  return { channel: `pet_store_${crypto.randomUUID()}`, arrived, arrive: () => resolve(true) }
}
