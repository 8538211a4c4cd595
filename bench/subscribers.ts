/**
 * What subscribers of live updates cost: 10,000, the maximum that our server accepts, each with its own connection. A hand-written server
 * has as many at the same time, so that both are measured in the same minutes.
 */
import { setTimeout } from 'node:timers/promises'
import type { ContenderName } from './contenders.ts'
import type { BenchPostgres } from './data.ts'
import { createRequests, OUR_DIALECT } from './operations.ts'
import { readCpuTime, readResidentMemory } from './proc.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import { API_KEY, send } from './send.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'
import { SubscriberProcess } from './subscriber-process.ts'

const SUBSCRIBERS = 10_000
/** The maximum of one key, so there are ten keys. */
const SUBSCRIBERS_OF_KEY = 1_000
/** Subscribe at the same time, except in a storm. */
const AT_ONCE = 100
/** Other connections that come back in a storm, with a request each. */
const OTHERS = 2_000
const STORMS = 3
/** Events of a round. */
const EVENTS = 10
/** Seconds without an event: two of the lines that keep a connection open, which come every 12 seconds. */
const SILENCE = 24
/** Seconds after the last event, in which memory should go back. */
const REST = 30
/** Seconds in which a server has noticed that its subscribers have left. */
const SETTLING = 3
/** Between two requests that show how long others wait, so that they take little of the CPU time. */
const PAUSE_MS = 10

const GOALS = { ratio: 1.3, subscribe: 250, silent: 330, peak: 360 }

export async function measureSubscribers(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const keys = Array.from({ length: SUBSCRIBERS / SUBSCRIBERS_OF_KEY }, () => crypto.randomUUID())
  const API_KEYS = [`bench:${API_KEY}`, ...keys.map((key, index) => `key${index}:${key}`)].join()
  const start = async (name: ContenderName) => {
    // Each has a database of its own, so that it gets no events of the other.
    const url = await postgres.createFilled(settings.rows, { name: `_${name}` })
    const server = resources.use(await startServer(name, { url }, { log: settings.log, env: { API_KEYS } }))
    return resources.use(new Measured(server, keys))
  }
  const servers = [await start('ours'), await start('events')]
  const each = async (measure: (server: Measured) => Promise<void>) => {
    for (const server of servers) await measure(server)
  }

  await each((server) => server.warmUp())
  await each((server) => server.subscribe())
  await Promise.all(servers.map((server) => server.beSilent()))
  for (let round = 1; round <= settings.rounds; round += 1) await each((server) => server.deliver(round))
  await setTimeout(REST * 1_000)
  await each(async (server) => server.note('rest', readResidentMemory(server.pid)))
  for (let storm = 1; storm <= STORMS; storm += 1) await each((server) => server.comeBack())
  return report(servers)
}

type Figure =
  | 'before'
  | 'subscribe'
  | 'silent'
  | 'silentCpu'
  | 'eventCpu'
  | 'last'
  | 'wait'
  | 'peak'
  | 'rest'
  | 'stormCpu'
  | 'stormSeconds'
  | 'stormWait'
  | 'stormRefusals'

/** A server, its 10,000 subscribers, and the figures: one for each round, in seconds or megabytes. */
class Measured implements AsyncDisposable {
  readonly pid: number
  readonly #server: Server
  readonly #keys: readonly string[]
  readonly #client: SubscriberProcess
  readonly #figures = new Map<Figure, number[]>()
  #events = 0

  constructor(server: Server, keys: readonly string[]) {
    this.#server = server
    this.pid = server.pid
    this.#keys = keys
    this.#client = new SubscriberProcess(server.contender.title)
  }

  note(figure: Figure, value: number): void {
    this.#figures.set(figure, [...this.figures(figure), value])
    showProgress(`${this.#server.contender.title}, ${figure}: ${value}`)
  }

  figures(figure: Figure): number[] {
    return this.#figures.get(figure) ?? []
  }

  /** As much memory as the code needs, once it has run. */
  async warmUp(): Promise<void> {
    await this.#create(100)
    this.note('before', readResidentMemory(this.pid))
  }

  async subscribe(): Promise<void> {
    const cpu = await this.#measureCpu(() => this.#subscribe({ atOnce: AT_ONCE, others: 0 }))
    this.note('subscribe', cpu / SUBSCRIBERS)
  }

  async beSilent(): Promise<void> {
    const cpu = await this.#measureCpu(() => setTimeout(SILENCE * 1_000))
    this.note('silent', readResidentMemory(this.pid))
    this.note('silentCpu', cpu / SILENCE)
  }

  /** One event after the other, each to all subscribers. */
  async deliver(round: number): Promise<void> {
    const times: number[] = []
    const waits: number[] = []
    const cpu = await this.#measureCpu(async () => {
      for (let event = 1; event <= EVENTS; event += 1) {
        this.#events += 1
        const start = performance.now()
        const delivered = this.#client.ask({ kind: 'expect', events: this.#events })
        await this.#create(1, round * EVENTS + event)
        waits.push(await this.#watchWaits(delivered))
        times.push((performance.now() - start) / 1_000)
      }
    })
    this.note('eventCpu', cpu / EVENTS / SUBSCRIBERS)
    this.note('last', median(times))
    this.note('wait', Math.max(...waits))
    this.note('peak', readResidentMemory(this.pid))
  }

  /** All leave, and come back at once, as after a failover. */
  async comeBack(): Promise<void> {
    await this.#client.ask({ kind: 'leave' })
    await setTimeout(SETTLING * 1_000)
    const start = performance.now()
    const cpu = await this.#measureCpu(async () => {
      const back = this.#subscribe({ atOnce: SUBSCRIBERS, others: OTHERS })
      this.note('stormWait', await this.#watchWaits(back))
      this.note('stormRefusals', await back)
    })
    this.note('stormSeconds', (performance.now() - start) / 1_000)
    this.note('stormCpu', cpu)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]()
  }

  /** @returns how many requests were refused at first */
  #subscribe(how: { atOnce: number; others: number }): Promise<number> {
    const { url } = this.#server
    const keys = [...this.#keys]
    return this.#client.ask({
      kind: 'subscribe',
      urls: [url],
      keys,
      count: SUBSCRIBERS,
      comeBack: false,
      ...how,
    })
  }

  /** @returns the seconds of CPU time that it takes the server */
  async #measureCpu(act: () => Promise<unknown>): Promise<number> {
    const before = readCpuTime(this.pid)
    await act()
    return readCpuTime(this.pid) - before
  }

  /** @returns the seconds that a request takes at most until something is done; it needs no database */
  async #watchWaits(done: Promise<unknown>): Promise<number> {
    const state = { isDone: false }
    const end = done.finally(() => (state.isDone = true))
    // Awaited below, after the request that is in flight.
    end.catch(() => undefined)
    let longest = 0
    while (!state.isDone) {
      const start = performance.now()
      await send(this.#server.url, { method: 'GET', path: '/healthz' })
      longest = Math.max(longest, (performance.now() - start) / 1_000)
      await setTimeout(PAUSE_MS)
    }
    await end
    return longest
  }

  async #create(count: number, seed = 1): Promise<void> {
    const requests = createRequests('create', { rows: 1_000, seed, count, dialect: OUR_DIALECT })
    for (const request of requests) await send(this.#server.url, request)
  }
}

function report([ours, theirs]: readonly Measured[]): string {
  if (!ours || !theirs) throw new Error('there must be two servers')
  const both = (figure: Figure, format: (values: number[]) => string) =>
    [ours, theirs].map((server) => format(server.figures(figure)))
  const ratioOf = (figure: Figure) => medianRatio(ours.figures(figure), theirs.figures(figure))
  const formatRatio = (figure: Figure) => `${ratioOf(figure).toFixed(2)} ×`
  const ratioGoal = (figure: Figure) => formatGoal(ratioOf(figure), '≤', GOALS.ratio, ' ×')
  const megabytes = (values: number[]) => `${Math.max(...values)} MB`
  const micros = (values: number[]) => `${(median(values) * 1e6).toFixed(1)} µs`
  const millis = (reduce: (values: number[]) => number) => (values: number[]) =>
    `${Math.round(reduce(values) * 1e3)} ms`
  const seconds = (values: number[]) => `${median(values).toFixed(1)} s`
  const longest = (values: number[]) => Math.max(...values)
  const [silent, peak] = [longest(ours.figures('silent')), longest(ours.figures('peak'))]
  const subscribe = median(ours.figures('subscribe')) * 1e6
  return formatTable(
    ['10,000 subscribers', 'this server', 'hand-written', 'ours / theirs', 'goal'],
    [
      ['resident memory without subscribers', ...both('before', megabytes), '', ''],
      [
        'with 10,000 that are silent',
        ...both('silent', megabytes),
        formatRatio('silent'),
        formatGoal(silent, '≤', GOALS.silent, ' MB'),
      ],
      [
        `after ${ours.figures('eventCpu').length * EVENTS} events, at most`,
        ...both('peak', megabytes),
        formatRatio('peak'),
        formatGoal(peak, '≤', GOALS.peak, ' MB'),
      ],
      [`and ${REST} s later`, ...both('rest', megabytes), formatRatio('rest'), ''],
      [
        'CPU time to subscribe',
        ...both('subscribe', micros),
        formatRatio('subscribe'),
        formatGoal(subscribe, '≤', GOALS.subscribe, ' µs'),
      ],
      [
        'CPU time while they are silent, of a core',
        ...both('silentCpu', (values) => `${(median(values) * 100).toFixed(1)} %`),
        '',
        '',
      ],
      [
        'CPU time for an event and a subscriber',
        ...both('eventCpu', micros),
        formatRatio('eventCpu'),
        ratioGoal('eventCpu'),
      ],
      ['until the last of 10,000 has an event', ...both('last', millis(median)), formatRatio('last'), ''],
      ['a request meanwhile waits, at most', ...both('wait', millis(longest)), '', ''],
      [
        'all come back at once: CPU time',
        ...both('stormCpu', seconds),
        formatRatio('stormCpu'),
        ratioGoal('stormCpu'),
      ],
      [
        `until they, and ${OTHERS} other clients, are back`,
        ...both('stormSeconds', seconds),
        formatRatio('stormSeconds'),
        '',
      ],
      ['a request meanwhile waits, at most', ...both('stormWait', millis(longest)), '', ''],
      [
        'refused at first, and sent again',
        ...both('stormRefusals', (values) => formatCount(median(values))),
        '',
        '',
      ],
    ],
  )
}
