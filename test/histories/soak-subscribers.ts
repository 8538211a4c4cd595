/** Subscribers that come back whenever their subscription ends, and look for events that they have missed. */
import { setTimeout } from 'node:timers/promises'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import type { Operation } from './history.ts'

const DOCUMENT = 'subscription ($filter: PetFilter) { petChanged(filter: $filter) { kind pet { id name } } }'
/** As many categories may be in a filter. */
const CATEGORIES = 50
/** Subscribers with the same number have the same categories. */
const GROUPS = 130
/** Histories have two categories each, beginning with this one. */
const FIRST_CATEGORY = 1_000
/** The number of histories that have a subscriber. */
export const MAX_HISTORIES = (CATEGORIES * GROUPS) / 2
/** Subscribe at the same time. */
const AT_ONCE = 50
/** Milliseconds before a client that was refused, or whose subscription has ended, subscribes again, at most. */
const MAX_PAUSE = 1_000
/** Milliseconds after a change in which a subscription that ends without its event tells its client to read again. */
const COVERED_MS = 10_000
/** Milliseconds that an event may take. */
const PATIENCE_MS = 10_000
/** Milliseconds for which events that no answer told of are kept. */
const KEPT_MS = 120_000

interface Expected {
  group: number
  event: string
  /** When the request was sent, and when its answer came. */
  start: number
  end: number
}

export class Subscribers {
  missed: string[] = []
  delivered = 0
  ends = 0
  readonly #subscribers: Subscriber[]
  readonly #stop = new AbortController()
  #expected: Expected[] = []

  /** @param secretOf the API key of each */
  constructor(url: string, count: number, secretOf: (index: number) => string) {
    this.#subscribers = Array.from(
      { length: count },
      (_, index) => new Subscriber(this, url, index, secretOf),
    )
  }

  async start(): Promise<void> {
    for (let first = 0; first < this.#subscribers.length; first += AT_ONCE)
      await Promise.all(
        this.#subscribers.slice(first, first + AT_ONCE).map((one) => one.start(this.#stop.signal)),
      )
  }

  /** Notes the changes that a history has made; `check` looks for their events. */
  expect(history: readonly Operation[]): void {
    const expected = history.flatMap(toExpected)
    // A creation that was repeated has one event, at any time of all its requests.
    for (const ofEvent of Map.groupBy(expected, ({ event }) => event).values()) {
      const [first] = ofEvent
      const start = Math.min(...ofEvent.map(({ start }) => start))
      const end = Math.max(...ofEvent.map(({ end }) => end))
      if (first && ofEvent.some(({ end }) => end < Infinity))
        this.#expected.push({ ...first, start, end: end === Infinity ? performance.now() : end })
    }
  }

  /** Looks for the events of changes that are long over. */
  check(): void {
    const isDue = ({ end }: Expected) => performance.now() > end + COVERED_MS + PATIENCE_MS
    const due = this.#expected.filter(isDue)
    this.#expected = this.#expected.filter((one) => !isDue(one))
    const groups = Map.groupBy(this.#subscribers, ({ group }) => group)
    for (const expected of due) {
      for (const subscriber of groups.get(expected.group) ?? []) {
        const isMissing = !subscriber.received.delete(expected.event)
        if (isMissing && subscriber.wasSubscribed(expected.start, expected.end + COVERED_MS))
          this.missed.push(`subscriber ${subscriber.index} missed ${expected.event}`)
      }
    }
    for (const subscriber of this.#subscribers) subscriber.forget(performance.now() - KEPT_MS)
  }

  /** Waits for the last events. */
  async finish(): Promise<void> {
    while (this.#expected.length > 0) {
      await setTimeout(MAX_PAUSE)
      this.check()
    }
    this.stop()
  }

  stop(): void {
    this.#stop.abort()
    for (const subscriber of this.#subscribers) subscriber.abort()
  }
}

class Subscriber {
  readonly index: number
  readonly group: number
  /** When each event came. */
  readonly received = new Map<string, number>()
  readonly #all: Subscribers
  readonly #url: string
  readonly #secretOf: (index: number) => string
  /** The times in which it was subscribed. */
  #periods: { from: number; to: number }[] = []
  #stream: EventStream | null = null

  constructor(all: Subscribers, url: string, index: number, secretOf: (index: number) => string) {
    this.#all = all
    this.#url = url
    this.index = index
    this.group = index % GROUPS
    this.#secretOf = secretOf
  }

  /** Resolves when it is subscribed for the first time. */
  start(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => void this.#run(signal, resolve))
  }

  wasSubscribed(from: number, to: number): boolean {
    return this.#periods.some((period) => period.from < from && period.to > to)
  }

  forget(before: number): void {
    for (const [event, time] of this.received) if (time < before) this.received.delete(event)
    this.#periods = this.#periods.filter(({ to }) => to > before)
  }

  abort(): void {
    this.#stream?.abort()
  }

  async #run(signal: AbortSignal, onSubscribed: () => void): Promise<void> {
    while (!signal.aborted) {
      const stream = await this.#subscribe()
      if (stream) {
        onSubscribed()
        await this.#read(stream)
        this.#all.ends += 1
      }
      await setTimeout(Math.random() * MAX_PAUSE)
    }
  }

  async #subscribe(): Promise<EventStream | null> {
    const first = FIRST_CATEGORY + this.group
    const categoryId = Array.from({ length: CATEGORIES }, (_, index) => String(first + index * GROUPS))
    try {
      const stream = await subscribe(this.#url, this.#secretOf(this.index), DOCUMENT, {
        filter: { categoryId },
      })
      if (stream.response.statusCode === 200) return stream
      stream.abort()
    } catch {
      // The server is not there.
    }
    return null
  }

  async #read(stream: EventStream): Promise<void> {
    const period = { from: performance.now(), to: Infinity }
    this.#periods.push(period)
    this.#stream = stream
    try {
      for (let data = await stream.next(); data !== null; data = await stream.next()) {
        this.received.set(toEvent(data), performance.now())
        this.#all.delivered += 1
      }
    } catch {
      // The connection was closed.
    }
    period.to = performance.now()
    stream.abort()
  }
}

/** The name of a pet says which change gave it the name; a pet is deleted once. */
function toEvent(data: unknown): string {
  const { kind, pet } = (
    data as { data: { petChanged: { kind: string; pet: { id: string; name: string } } } }
  ).data.petChanged
  return kind === 'deleted' ? `deleted ${pet.id}` : pet.name
}

/** What a change sends to the subscribers of the pet's category; a creation also if it was not answered, since it may be repeated. */
function toExpected(operation: Operation): Expected[] {
  const { start, end, kind } = operation
  const expect = (categoryId: string, event: string) => [
    { group: (Number(categoryId) - FIRST_CATEGORY) % GROUPS, event, start, end },
  ]
  if (kind === 'create') return expect(operation.pet.categoryId, operation.pet.name)
  if (kind !== 'update' && kind !== 'delete') return []
  const { answer, id } = operation
  if (answer === null || typeof answer === 'string') return []
  return expect(answer.categoryId, kind === 'delete' ? `deleted ${id}` : answer.name)
}
