/** What subscribers of live updates cost our server: 10,000, the maximum that it accepts, each with its own connection. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { BenchPostgres } from './data.ts'
import { createRequests, OUR_DIALECT } from './operations.ts'
import { formatCount, formatGoal, formatTable, median, showProgress } from './report.ts'
import { API_KEY, send } from './send.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'
import { readCpuTime, readResidentMemory } from './proc.ts'

const SUBSCRIBERS = 10_000
/** The maximum of one key, so there are ten keys. */
const SUBSCRIBERS_OF_KEY = 1_000
/** Made at the same time. */
const AT_ONCE = 100
const DOCUMENT = 'subscription Pets { petChanged { kind pet { id name categoryId status } } }'
/** Seconds without an event: two of the lines that keep a connection open, which come every 12 seconds. */
const SILENCE = 24
const GOAL_MB = 600
/** Seconds after the last event, in which memory should go back. */
const REST = 30

export async function measureSubscribers(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  const keys = Array.from({ length: SUBSCRIBERS / SUBSCRIBERS_OF_KEY }, () => crypto.randomUUID())
  const API_KEYS = [`bench:${API_KEY}`, ...keys.map((key, index) => `key${index}:${key}`)].join()
  await using server = await startServer('ours', { url }, { log: settings.log, env: { API_KEYS } })
  const rows: string[][] = []
  const note = (what: string, value: string, goal = '') => {
    showProgress(`${what}: ${value}`)
    rows.push([what, value, goal])
  }

  // As much memory as the code needs, once it has run.
  await create(server, 1, 100)
  const before = readResidentMemory(server.pid)
  note('resident memory without subscribers', `${before} MB`)
  const start = readCpuTime(server.pid)
  const subscribers = await subscribeAll(server, keys)
  const connected = readCpuTime(server.pid)
  note('CPU time to subscribe', `${Math.round(((connected - start) / SUBSCRIBERS) * 1e6)} µs each`)
  await setTimeout(SILENCE * 1_000)
  const share = (readCpuTime(server.pid) - connected) / SILENCE
  const after = readResidentMemory(server.pid)
  note('resident memory with 10,000 that are silent', `${after} MB`)
  note('for each', `${(((after - before) / SUBSCRIBERS) * 1_000).toFixed(1)} kB`)
  note('CPU time of 10,000 that are silent', `${(share * 100).toFixed(1)} % of a core`)

  const deliveries: Delivery[] = []
  for (let round = 1; round <= settings.rounds; round += 1)
    deliveries.push(await deliver(server, subscribers, round))
  const best = (of: (delivery: Delivery) => number) => Math.min(...deliveries.map(of))
  note('CPU time to deliver an event', `${(best(({ cpu }) => cpu) * 1e6).toFixed(1)} µs for each subscriber`)
  note('until the last of 10,000 has it', `${Math.round(best(({ seconds }) => seconds) * 1_000)} ms`)
  note('a request meanwhile waits, at most', `${Math.round(best(({ wait }) => wait) * 1_000)} ms`)
  const peak = Math.max(...deliveries.map(({ megabytes }) => megabytes))
  note('resident memory after events, at most', `${peak} MB`, formatGoal(peak, '≤', GOAL_MB, ' MB'))
  await setTimeout(REST * 1_000)
  note(`and ${REST} s later`, `${readResidentMemory(server.pid)} MB`)
  for (const { response } of subscribers) response.destroy()
  return formatTable([`${formatCount(SUBSCRIBERS)} subscribers`, 'measured', 'goal'], rows)
}

interface Subscriber {
  response: IncomingMessage
  /** The number of events so far. */
  events: number
}

/** graphql-sse's "distinct connections mode" over HTTP/1.1. Resolves when all of them are subscribed. */
async function subscribeAll(server: Server, keys: readonly string[]): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = []
  const agent = new Agent({ maxSockets: Infinity })
  while (subscribers.length < SUBSCRIBERS) {
    const key = keys[Math.floor(subscribers.length / SUBSCRIBERS_OF_KEY)] ?? ''
    subscribers.push(
      ...(await Promise.all(Array.from({ length: AT_ONCE }, () => subscribe(server, key, agent)))),
    )
  }
  return subscribers
}

async function subscribe({ url }: Server, key: string, agent: Agent): Promise<Subscriber> {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'text/event-stream',
    'content-type': 'application/json',
  }
  const outgoing = request(`${url}/graphql`, { method: 'POST', agent, headers })
  outgoing.end(JSON.stringify({ query: DOCUMENT }))
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`a subscription was answered ${response.statusCode}`)
  const subscriber = { response, events: 0 }
  // Each event is one chunk.
  response.setEncoding('latin1').on('data', (chunk: string) => {
    subscriber.events += chunk.split('event: next').length - 1
  })
  return subscriber
}

interface Delivery {
  /** Seconds of CPU time in the server for one event and one subscriber. */
  cpu: number
  /** From the request that causes the change until the last subscriber has its event. */
  seconds: number
  /** The longest that a request took meanwhile, in seconds. */
  wait: number
  megabytes: number
}

const EVENTS = 10

/** One event after the other, each to all subscribers. */
async function deliver(server: Server, subscribers: readonly Subscriber[], round: number): Promise<Delivery> {
  const before = readCpuTime(server.pid)
  const times: number[] = []
  let wait = 0
  for (let event = 1; event <= EVENTS; event += 1) {
    const expected = (round - 1) * EVENTS + event
    const start = performance.now()
    await create(server, round * EVENTS + event, 1)
    while (subscribers.some(({ events }) => events < expected))
      wait = Math.max(wait, await measureRequest(server))
    times.push((performance.now() - start) / 1_000)
  }
  const cpu = (readCpuTime(server.pid) - before) / EVENTS / SUBSCRIBERS
  return { cpu, seconds: median(times), wait, megabytes: readResidentMemory(server.pid) }
}

async function create({ url }: Server, seed: number, count: number): Promise<void> {
  for (const request of createRequests('create', { rows: 1_000, seed, count, dialect: OUR_DIALECT }))
    await send(url, request)
}

/** @returns seconds for one that needs no database */
async function measureRequest({ url }: Server): Promise<number> {
  const start = performance.now()
  await (await fetch(`${url}/healthz`)).text()
  return (performance.now() - start) / 1_000
}
