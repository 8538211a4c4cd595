/**
 * The program of a process with many subscribers (`startSubscribers` in subscribers.ts): raw sockets, which take little of the machine that
 * the servers share. Each command that its parent sends is answered with a message when it is done.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export type Command =
  /** Closes all connections. */
  | { kind: 'leave' }
  /** Subscribes `count` times, `atOnce` at a time, and meanwhile sends one request on each of `others` connections. */
  | { kind: 'subscribe'; url: string; keys: string[]; count: number; atOnce: number; others: number }
  /** Waits until each subscriber has had so many events since it subscribed. */
  | { kind: 'expect'; events: number }

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
/** What the command `expect` waits for. */
const expected = { events: 0, missing: 0, done: (): void => undefined }

process.on('message', (command: Command) => {
  run(command).then(
    () => process.send?.({ refusals } satisfies Answer),
    (error: unknown) => process.send?.({ error: String(error) } satisfies Answer),
  )
})
process.once('disconnect', () => process.exit())

async function run(command: Command): Promise<void> {
  if (command.kind === 'leave') {
    for (const socket of [...others, ...subscribers.map(({ socket }) => socket)]) socket.resetAndDestroy()
    subscribers = []
    others = []
  } else if (command.kind === 'subscribe') {
    const { url, keys, count, atOnce } = command
    const { hostname, port } = new URL(url)
    const [key = ''] = keys
    refusals = 0
    const requests = Array.from({ length: command.others }, (_, index) =>
      openUntilAccepted(hostname, Number(port), `GET /v1/pets/${index + 1}`, key, ''),
    )
    while (subscribers.length < count) {
      const length = Math.min(atOnce, count - subscribers.length)
      const first = subscribers.length
      const opened = Array.from({ length }, (_, index) => {
        const owner = keys[Math.floor(((first + index) * keys.length) / count)] ?? ''
        return openUntilAccepted(hostname, Number(port), 'POST /graphql', owner, BODY)
      })
      subscribers.push(...(await Promise.all(opened)))
    }
    others = (await Promise.all(requests)).map(({ socket }) => socket)
  } else {
    const { events } = command
    const missing = subscribers.filter((subscriber) => subscriber.events < events).length
    await new Promise<void>((done) => {
      Object.assign(expected, { events, missing, done })
      if (missing === 0) done()
    })
  }
}

async function openUntilAccepted(...request: Parameters<typeof open>): Promise<Subscriber> {
  for (;;) {
    const answer = await open(...request)
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
function open(
  host: string,
  port: number,
  line: string,
  key: string,
  body: string,
): Promise<Subscriber | number> {
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
    const socket = connect({ host, port, noDelay: true, onread: { buffer, callback: read } })
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
