/**
 * The program of a process with many subscribers (subscriber-process.ts): raw sockets, which take little of the machine that
 * the servers share. Each command that its parent sends is answered with a message when it is done.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export type Command =
  /** Closes all connections. */
  | { kind: 'leave' }
  | ({ kind: 'subscribe' } & Subscription)
  /** Waits until each subscriber has had so many events since it subscribed. */
  | { kind: 'expect'; events: number }
  /** Waits until all are subscribed who have come back. */
  | { kind: 'settle' }

interface Subscription {
  /** The servers, which take turns. */
  urls: string[]
  keys: string[]
  /** How many subscribe, and how many at a time. */
  count: number
  atOnce: number
  /** Connections that send one request each meanwhile. */
  others: number
  /** Whether a subscriber whose connection is closed subscribes again, at another server. */
  comeBack: boolean
}

export interface Answer {
  /** Why the command failed. */
  error?: string
  /** How many requests a busy server refused (408, 503) or reset; they are sent again after a second, or what `Retry-After` says. */
  refusals?: number
}

interface Subscriber {
  socket: Socket
  events: number
}

const BODY = JSON.stringify({
  query: 'subscription Pets { petChanged { kind pet { id name categoryId status } } }',
})
const BODY_HEADERS = ['Accept: text/event-stream', 'Content-Type: application/json']
const EVENT = 'event: next'
const RETRY_SECONDS = 1
/** All sockets read into the same memory, one after the other. */
const buffer = Buffer.alloc(2 ** 16)

let subscribers: Subscriber[] = []
let others: Socket[] = []
let refusals = 0
/** Subscribers on their way back, and what waits for them. */
const back = { missing: 0, done: (): void => undefined }
/** What the command `expect` waits for. */
const expected = { events: 0, missing: 0, done: (): void => undefined }

process.on('message', (command: Command) => {
  run(command).then(
    () => process.send?.({ refusals } satisfies Answer),
    (error: unknown) => process.send?.({ error: String(error) } satisfies Answer),
  )
})
process.once('disconnect', () => process.exit())

function run(command: Command): Promise<void> {
  switch (command.kind) {
    case 'leave':
      return leave()
    case 'subscribe':
      return subscribeAll(command)
    case 'expect':
      return untilAll(subscribers.filter(({ events }) => events < command.events).length, (missing, done) =>
        Object.assign(expected, { events: command.events, missing, done }),
      )
    case 'settle':
      return untilAll(back.missing, (_, done) => Object.assign(back, { done }))
  }
}

async function untilAll(missing: number, wait: (missing: number, done: () => void) => void): Promise<void> {
  await new Promise<void>((done) => {
    wait(missing, done)
    if (missing === 0) done()
  })
}

async function leave(): Promise<void> {
  for (const socket of [...others, ...subscribers.map(({ socket }) => socket)]) socket.resetAndDestroy()
  subscribers = []
  others = []
}

async function subscribeAll(subscription: Subscription): Promise<void> {
  const { urls, keys, count, atOnce } = subscription
  const [key = ''] = keys
  refusals = 0
  const requests = Array.from({ length: subscription.others }, (_, index) =>
    openUntilAccepted(urls, index, `GET /v1/pets/${index + 1}`, key, ''),
  )
  while (subscribers.length < count) {
    const length = Math.min(atOnce, count - subscribers.length)
    const first = subscribers.length
    const opened = Array.from({ length }, (_, index) => subscribe(subscription, first + index))
    subscribers.push(...(await Promise.all(opened)))
  }
  others = (await Promise.all(requests)).map(({ socket }) => socket)
}

/** @param times how often it has subscribed before, each time at the next server */
async function subscribe(subscription: Subscription, index: number, times = 0): Promise<Subscriber> {
  const { urls, keys, count, comeBack } = subscription
  const key = keys[Math.floor((index * keys.length) / count)] ?? ''
  const subscriber = await openUntilAccepted(urls, index + times, 'POST /graphql', key, BODY)
  if (comeBack) subscriber.socket.once('close', () => void returnLater(subscription, index, times + 1))
  return subscriber
}

/** Within a second: clients that all come back at once should wait for a moment. */
async function returnLater(subscription: Subscription, index: number, times: number): Promise<void> {
  back.missing += 1
  await setTimeout(Math.random() * 1_000)
  const subscriber = await subscribe(subscription, index, times)
  subscribers[index] = subscriber
  back.missing -= 1
  if (back.missing === 0) back.done()
}

/** @param first the index of the server to try first */
async function openUntilAccepted(
  urls: readonly string[],
  first: number,
  line: string,
  key: string,
  body: string,
): Promise<Subscriber> {
  for (let attempt = first; ; attempt += 1) {
    const answer = await open(urls[attempt % urls.length] ?? '', line, key, body)
    if (typeof answer !== 'number') return answer
    refusals += 1
    await setTimeout(answer * 1_000)
  }
}

/**
 * Sends a request on a connection of its own. Resolves when its answer begins.
 * @returns the seconds after which to try again, if a busy server refuses it (408, 503) or resets the connection
 * @throws Error for any other status but 200
 */
function open(url: string, line: string, key: string, body: string): Promise<Subscriber | number> {
  const { hostname: host, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let isAnswered = false
    const readStatus = (answer: string) => {
      if (answer.startsWith('HTTP/1.1 200')) {
        resolve(subscriber)
        return
      }
      socket.destroy()
      if (/^HTTP.1.1 (408|503)/.test(answer))
        resolve(Number(/^retry-after: (\d+)/im.exec(answer)?.[1] ?? RETRY_SECONDS))
      else reject(new Error(`${line} was answered with ${answer}`))
    }
    const read = (length: number): boolean => {
      if (!isAnswered) readStatus(buffer.toString('latin1', 0, length))
      isAnswered = true
      count(subscriber, length)
      return true
    }
    const socket = connect({ host, port: Number(port), noDelay: true, onread: { buffer, callback: read } })
    const subscriber = { socket, events: 0 }
    socket.on('error', () => resolve(RETRY_SECONDS))
    socket.once('close', () => resolve(RETRY_SECONDS))
    const headers = [
      `${line} HTTP/1.1`,
      'Host: bench',
      `Authorization: Bearer ${key}`,
      ...(body === '' ? [] : [...BODY_HEADERS, `Content-Length: ${body.length}`]),
    ]
    socket.write(`${headers.join('\r\n')}\r\n\r\n${body}`)
  })
}

/** Each event is a segment of its own, so none is cut in two. */
function count(subscriber: Subscriber, length: number): void {
  const received = buffer.subarray(0, length)
  for (let at = received.indexOf(EVENT); at >= 0; at = received.indexOf(EVENT, at + 1)) {
    subscriber.events += 1
    if (subscriber.events !== expected.events) continue
    expected.missing -= 1
    if (expected.missing === 0) expected.done()
  }
}
