/**
 * A long mixed load on two servers behind a balancer, while Postgres and one of the servers are restarted and keys are rotated, again and
 * again. The clients are those of histories, so that the same checker finds answers that cannot be true.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { sendRequest } from '../support/client.ts'
import { type Program, run, startProgram, stopProgram } from '../support/process.ts'
import { runOn, type TestPostgres } from '../support/postgres.ts'
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts'
import { record } from './clients.ts'
import type { Operation } from './history.ts'
import { MAX_HISTORIES, Subscribers } from './soak-subscribers.ts'

/** All times are for a soak of so many minutes, and shorter for a shorter one. */
const MINUTES = 90
const RESTART_MINUTES = 10
const REPLACE_MINUTES = 15
const WINDOW_MINUTES = 10
/** The memory at a time is the median of those so many minutes before it. */
const MEMORY_MINUTES = 2
const SAMPLES = 540
const KEYS = 10
const SUBSCRIBERS = 2_000
const CLIENTS = 8
/** Of each history. */
const OPERATIONS = 500
/** Milliseconds between two requests of a client: the load is steady, and not the most that the servers can do. */
const PAUSE_MS = 10
/**
 * Seconds in which the older secret of a rotated key is still valid, in a shorter soak, too: longer than servers need to notice the new one,
 * and than a connection takes that finds many others waiting.
 */
const OVERLAP = 60
/** Milliseconds between two looks whether they have. */
const LOOK_MS = 100

export interface SoakOptions {
  minutes: number
  seed: number
  /** It is restarted on the way. */
  postgres: TestPostgres
  /** A database in it. */
  url: string
  /** Absent: 2,000. */
  subscribers?: number
  /** Hears what happens. */
  onProgress?: (text: string) => void
}

/** Of a server, or of the connections of both. */
interface Sample {
  /** In minutes of a soak of 90. */
  minute: number
  /** Resident memory in MB, and open files: of the server that stays, and of the one that is replaced. */
  megabytes: [number, number]
  files: [number, number]
  /** Connections in Postgres. */
  connections: number
}

export interface Window {
  /** In minutes of a soak of 90. */
  from: number
  to: number
  requests: number
  unanswered: number
  /** Milliseconds. */
  p50: number
  p999: number
  /** The last ones. */
  sample: Sample | null
}

export interface SoakResult {
  windows: Window[]
  /** MB of the server that stays, after ten minutes and at the end. */
  memory: { early: number; late: number }
  restarts: number
  rotations: number
  replacements: number
  histories: number
  /** Answers that contradict each other, such as a write that was acknowledged and is lost. */
  contradictions: string[]
  /** Pets that were there at the end of their history, and not at the end of all. */
  lost: string[]
  subscribers: { delivered: number; ends: number; missed: string[] }
}

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { minutes } = options
  const unit = (minutes / MINUTES) * 60_000
  await using resources = new AsyncDisposableStack()
  const keys = await createKeys(options.url)
  const servers = await startServers(options.url)
  resources.defer(() => servers.stop())
  const subscribers = new Subscribers(servers.balancer.url, options.subscribers ?? SUBSCRIBERS, keys.secretOf)
  resources.defer(() => subscribers.stop())
  await subscribers.start()

  const start = performance.now()
  const minute = (time = performance.now()) => (time - start) / unit
  const load = new Load(options, servers.balancer.url, keys.secretOf, subscribers)
  resources.defer(() => load.stop())
  const samples: Sample[] = []
  const counts = { restarts: 0, rotations: 0, replacements: 0 }
  const ending = new AbortController()
  const loading = load.run(minute, ending.signal)
  // Awaited below; until then, `hasFailed` says it.
  loading.catch(() => undefined)
  const events = planEvents(options, servers, keys)
  // On a slow machine, it all takes longer.
  while ((minute() < MINUTES || events.length > 0) && !load.hasFailed) {
    const [next] = events
    if (next && next.at <= minute()) {
      events.shift()
      options.onProgress?.(`minute ${minute().toFixed(1)} of ${MINUTES}: ${next.kind}`)
      await next.act()
      counts[next.kind] += 1
    } else {
      // Not during a restart, in which a connection may be lost.
      samples.push(await takeSample(minute(), servers, options.url))
      subscribers.check()
      await setTimeout((MINUTES * unit) / SAMPLES)
    }
  }
  ending.abort()
  await loading
  await subscribers.finish()

  const { delivered, ends, missed } = subscribers
  return {
    windows: load.toWindows(samples),
    memory: { early: memoryAt(RESTART_MINUTES, samples), late: memoryAt(MINUTES, samples) },
    ...counts,
    histories: load.histories,
    contradictions: load.contradictions,
    lost: await load.findLost(options.url),
    subscribers: { delivered, ends, missed },
  }
}

interface Keys {
  secretOf: (index: number) => string
  /** Gives one key a new secret, which is used when all servers accept it. */
  rotate: (overlap: number, servers: readonly string[]) => Promise<void>
}

async function createKeys(url: string): Promise<Keys> {
  const command = async (...args: string[]) => {
    const { status, stdout, stderr } = await run({ DATABASE_URL: url }, 'keys', ...args)
    if (status !== 0) throw new Error(stderr)
    return stdout
  }
  const secrets: string[] = []
  for (let index = 0; index < KEYS; index += 1) secrets.push(await command('create', `soak-${index}`))
  let next = 0
  return {
    secretOf: (index) => secrets[index % KEYS] ?? '',
    async rotate(overlap, servers) {
      const index = next % KEYS
      next += 1
      const secret = await command('rotate', `soak-${index}`, '--overlap', `${overlap}s`)
      for (const url of servers)
        while ((await sendRequest(url, '/v1/pets?limit=1', { key: secret })).status === 401)
          await setTimeout(LOOK_MS)
      secrets[index] = secret
    },
  }
}

interface Servers {
  balancer: RoundRobin
  urls: () => string[]
  /** The processes: of the server that stays, and of the other. */
  pids: () => [number, number]
  /** Starts another server, and stops the older one of it. */
  replace: () => Promise<void>
  stop: () => Promise<void>
}

async function startServers(url: string): Promise<Servers> {
  // A log of all requests would stay in the memory of this process.
  const start = async () => {
    const program = startProgram({ DATABASE_URL: url, LOG_LEVEL: 'warn' })
    return { program, url: await program.ready }
  }
  const [first, second] = [await start(), await start()]
  let replaced = second
  const balancer = await startRoundRobin([first.url, second.url])
  const pidOf = ({ child }: Program) => child.pid ?? 0
  return {
    balancer,
    urls: () => [first.url, replaced.url],
    pids: () => [pidOf(first.program), pidOf(replaced.program)],
    async replace() {
      const older = replaced
      replaced = await start()
      balancer.setServers([first.url, replaced.url])
      const status = await stopProgram(older.program)
      if (status !== 0) throw new Error(`a server ended with ${status}`)
    },
    async stop() {
      await balancer[Symbol.asyncDispose]()
      await Promise.all([first, replaced].map(({ program }) => stopProgram(program)))
    },
  }
}

interface PlannedEvent {
  /** In minutes of a soak of 90. */
  at: number
  kind: 'restarts' | 'rotations' | 'replacements'
  act: () => Promise<void>
}

/** What happens, in order. */
function planEvents({ postgres }: SoakOptions, servers: Servers, keys: Keys): PlannedEvent[] {
  const restart = async () => {
    await postgres.stop('fast')
    await postgres.start()
  }
  const every = (each: number, kind: PlannedEvent['kind'], act: () => Promise<void>) =>
    Array.from({ length: Math.ceil(MINUTES / each) - 1 }, (_, index) => ({
      at: each * (index + 1),
      kind,
      act,
    }))
  return [
    ...every(RESTART_MINUTES, 'restarts', restart),
    // Between two restarts.
    ...every(RESTART_MINUTES, 'rotations', () => keys.rotate(OVERLAP, servers.urls())).map((event) => ({
      ...event,
      at: event.at - RESTART_MINUTES / 2,
    })),
    ...every(REPLACE_MINUTES, 'replacements', () => servers.replace()),
  ].toSorted((one, other) => one.at - other.at)
}

/** One history after the other. */
class Load {
  histories = 0
  hasFailed = false
  contradictions: string[] = []
  readonly #options: SoakOptions
  readonly #url: string
  readonly #secretOf: (index: number) => string
  readonly #subscribers: Subscribers
  readonly #checker = new Worker(new URL('check-thread.ts', import.meta.url))
  #unchecked = 0
  /** The operations of each window. */
  readonly #windows: { sent: number; times: number[] }[] = []
  /** How many pets were left of each history; only of those all of whose writes were answered. */
  readonly #left = new Map<number, number>()

  constructor(
    options: SoakOptions,
    url: string,
    secretOf: (index: number) => string,
    subscribers: Subscribers,
  ) {
    this.#options = options
    this.#url = url
    this.#secretOf = secretOf
    this.#subscribers = subscribers
    this.#checker.on('message', (found: string[]) => {
      this.#unchecked -= 1
      this.contradictions.push(...found)
    })
  }

  async run(minute: (time?: number) => number, signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#recordOne(minute)
      while (this.#unchecked > 0) await setTimeout(100)
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }

  async #recordOne(minute: (time?: number) => number): Promise<void> {
    const number = this.histories
    if (number === MAX_HISTORIES) throw new Error('there are more histories than categories of subscribers')
    this.histories += 1
    const windowOf = (at: number) => {
      const index = Math.min(Math.floor(at / WINDOW_MINUTES), MINUTES / WINDOW_MINUTES - 1)
      return (this.#windows[index] ??= { sent: 0, times: [] })
    }
    const recorder = await record({
      number,
      seed: this.#options.seed + number,
      clients: CLIENTS,
      operations: OPERATIONS,
      urls: [this.#url],
      secretOf: this.#secretOf,
      maxAge: 0,
      pause: PAUSE_MS,
      onOperation: () => (windowOf(minute()).sent += 1),
    })
    await recorder.readAll()
    const { history } = recorder
    const answered = history.filter(({ end }) => end < Infinity)
    for (const { start, end } of answered) windowOf(minute(end)).times.push(end - start)
    const last = history.findLast(isCountOfAll)
    if (last && answered.length === history.length) this.#left.set(number, last.answer)
    this.#subscribers.expect(history)
    this.#unchecked += 1
    this.#checker.postMessage(history)
  }

  toWindows(samples: readonly Sample[]): Window[] {
    return this.#windows.map(({ sent, times }, index) => {
      const sorted = times.toSorted((one, other) => one - other)
      const [from, to] = [index * WINDOW_MINUTES, (index + 1) * WINDOW_MINUTES]
      return {
        from,
        to,
        requests: sent,
        unanswered: sent - times.length,
        p50: sorted[Math.floor(times.length * 0.5)] ?? NaN,
        p999: sorted[Math.floor(times.length * 0.999)] ?? NaN,
        sample: samples.findLast(({ minute }) => minute < to) ?? null,
      }
    })
  }

  /** Compares what each history left with what is there now. */
  async findLost(url: string): Promise<string[]> {
    const json = await runOn(
      url,
      `select coalesce(json_object_agg(number, count), '{}')::text from (
         select (category_id - 1000) / 2 as number, count(*) from pets where category_id >= 1000 group by 1) as of_history`,
    )
    const counts = JSON.parse(json ?? '{}') as Record<string, number>
    return Array.from(this.#left).flatMap(([number, left]) => {
      const found = counts[number] ?? 0
      return found === left ? [] : [`history ${number} left ${left} pets, and ${found} are there`]
    })
  }

  async stop(): Promise<void> {
    await this.#checker.terminate()
  }
}

type Count = Extract<Operation, { kind: 'count' }>

function isCountOfAll(operation: Operation): operation is Count & Operation {
  return operation.kind === 'count' && operation.filter.status === undefined
}

async function takeSample(minute: number, servers: Servers, url: string): Promise<Sample> {
  const megabytesOf = (pid: number) =>
    (Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024) / 1e6
  const filesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length
  const connections = await runOn(
    url,
    `select count(*) from pg_stat_activity where application_name = 'pet-store'`,
  )
  const [first, second] = servers.pids()
  return {
    minute,
    megabytes: [megabytesOf(first), megabytesOf(second)],
    files: [filesOf(first), filesOf(second)],
    connections: Number(connections),
  }
}

/** The median of the server that stays, in the minutes before a time. */
function memoryAt(minute: number, samples: readonly Sample[]): number {
  const values = samples
    .filter((sample) => sample.minute <= minute && sample.minute > minute - MEMORY_MINUTES)
    .map(({ megabytes }) => megabytes[0])
    .sort((one, other) => one - other)
  return values[Math.floor(values.length / 2)] ?? NaN
}
