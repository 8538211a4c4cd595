/** Subscriptions by group: who gets the events of a group, and when it ends. */
import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ClientResponse } from '../../../../src/base/client-response.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { Subscriptions } from '../../../../src/graphql/live/subscriptions.ts'
import { eventually } from '../../../support/eventually.ts'

/** Writes `(x)` for an event. */
const format = {
  contentType: 'text/plain',
  start: '[',
  ping: '.',
  event: (json: string) => `(${json})`,
  end: ']',
}

/** A response that keeps what is written to it. */
class FakeResponse extends EventEmitter {
  text = ''
  destroyed = false
  writableLength = 0

  write(chunk: Buffer | string): boolean {
    this.text += chunk.toString()
    return true
  }

  end(chunk: Buffer | string): void {
    this.write(chunk)
  }

  close(): void {
    this.destroyed = true
    this.emit('close')
  }
}

/** Events that the test publishes. */
class Source {
  opened = 0
  closed = 0
  readonly #waiting: string[] = []
  #isEnded = false
  #wake: () => void = () => undefined

  publish(...events: string[]): void {
    this.#waiting.push(...events)
    this.#wake()
  }

  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  open = async (group: ClientResponse): Promise<AsyncIterable<string>> => {
    this.opened += 1
    group.once('close', () => {
      this.closed += 1
      this.end()
    })
    this.#isEnded = false
    return this.#read()
  }

  async *#read(): AsyncGenerator<string> {
    while (!this.#isEnded) {
      const event = this.#waiting.shift()
      if (event !== undefined) yield event
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

function createScene() {
  const subscriptions = new Subscriptions()
  const source = new Source()
  const join = (id = 'group', clientName = 'client', open = source.open) =>
    subscriptions.join({ id, clientName, format, open })
  const subscribe = async (...args: Parameters<typeof join>) => {
    const response = new FakeResponse()
    const group = await join(...args)
    group.begin(response)
    return response
  }
  return { subscriptions, source, join, subscribe }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

describe('a group', () => {
  it('is opened once, for subscriptions that are equal', async () => {
    const { source, subscribe, subscriptions } = createScene()
    const responses = await Promise.all([subscribe(), subscribe(), subscribe()])
    const other = new Source()
    await subscribe('another', 'client', other.open)
    expect([source.opened, other.opened, subscriptions.size]).toEqual([1, 1, 4])
    source.publish('1', '2')
    await eventually(() => expect(responses.map(({ text }) => text)).toEqual(Array(3).fill('[(1)(2)')))
  })

  it('gets the same bytes', async () => {
    const { source, subscribe } = createScene()
    const responses = [await subscribe(), await subscribe()]
    const written = responses.map((response) => vi.spyOn(response, 'write'))
    source.publish('1')
    await eventually(() => expect(responses[1]?.text).toBe('[(1)'))
    const [[first] = [], [second] = []] = written.map(({ mock }) => mock.calls[0])
    expect(first).toBeInstanceOf(Buffer)
    expect(first).toBe(second)
  })

  it('is closed when its last subscriber leaves, and opened anew for the next one', async () => {
    const { source, subscribe, subscriptions } = createScene()
    const [one, other] = [await subscribe(), await subscribe()]
    one.close()
    expect([source.closed, subscriptions.size]).toEqual([0, 1])
    other.close()
    expect([source.closed, subscriptions.size]).toEqual([1, 0])
    const next = await subscribe()
    source.publish('1')
    await eventually(() => expect(next.text).toBe('[(1)'))
    expect(one.text).toBe('[')
  })

  it('ends with its events, and those who come later open another one', async () => {
    const { source, subscribe, subscriptions } = createScene()
    const responses = [await subscribe(), await subscribe()]
    source.end()
    await eventually(() => expect(responses.map(({ text }) => text)).toEqual(['[]', '[]']))
    expect(subscriptions.size).toBe(0)
    await subscribe()
    expect([source.opened, subscriptions.size]).toEqual([2, 1])
  })

  it('that has ended before the stream of a subscriber begins completes that stream', async () => {
    const { source, join, subscriptions } = createScene()
    const group = await join()
    source.end()
    await setImmediate()
    const response = new FakeResponse()
    group.begin(response)
    expect([response.text, subscriptions.size]).toEqual(['[]', 0])
  })

  it('is left by a client that has gone before its stream begins', async () => {
    const { source, join, subscriptions } = createScene()
    const group = await join()
    const response = new FakeResponse()
    response.close()
    group.begin(response)
    expect([response.text, subscriptions.size, source.closed]).toEqual(['', 0, 1])
  })

  it('that cannot be opened rejects all who wait for it, and is tried again for the next one', async () => {
    const { source, join, subscribe, subscriptions } = createScene()
    const failing = vi.fn(() => Promise.reject(new ServiceError('DATABASE_UNAVAILABLE')))
    const results = await Promise.allSettled([
      join('group', 'client', failing),
      join('group', 'client', failing),
    ])
    const refused = { status: 'rejected', reason: { code: 'DATABASE_UNAVAILABLE' } }
    expect(results).toMatchObject([refused, refused])
    expect([failing.mock.calls.length, subscriptions.size]).toEqual([1, 0])
    await subscribe()
    expect([source.opened, subscriptions.size]).toEqual([1, 1])
  })

  it('writes to a hundred subscribers in one iteration of the event loop', async () => {
    const { source, subscribe } = createScene()
    const responses = await Promise.all(Array.from({ length: 250 }, () => subscribe()))
    const countWritten = () => responses.filter(({ text }) => text === '[(1)').length
    source.publish('1')
    const counts = new Set<number>()
    while (countWritten() < 250) {
      await setImmediate()
      counts.add(countWritten())
    }
    expect([...counts].filter((count) => count > 0)).toEqual([100, 200, 250])
  })
})

describe('a subscriber', () => {
  it('that reads too slowly is ended, and the others go on', async () => {
    const { source, subscribe, subscriptions } = createScene()
    const [slow, fast] = [await subscribe(), await subscribe()]
    slow.writableLength = 16 * 2 ** 10
    source.publish('1')
    await eventually(() => expect(fast.text).toBe('[(1)'))
    expect(slow.text).toBe('[(1)')
    slow.writableLength += 1
    source.publish('2', '3')
    await eventually(() => expect(fast.text).toBe('[(1)(2)(3)'))
    expect([slow.text, subscriptions.size]).toEqual(['[(1)]', 1])
    slow.close()
    expect(subscriptions.size).toBe(1)
  })

  it('gets pings while it has nothing unread', async () => {
    const { subscribe } = createScene()
    const [idle, busy, other] = [await subscribe(), await subscribe(), await subscribe('other')]
    busy.writableLength = 1
    vi.advanceTimersByTime(12_000)
    await eventually(() => expect([idle, busy, other].map(({ text }) => text)).toEqual(['[.', '[', '[.']))
    for (const response of [idle, busy, other]) response.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gets only events that are delivered after it has come', async () => {
    const { source, subscribe } = createScene()
    const first = await subscribe()
    source.publish('1')
    await eventually(() => expect(first.text).toBe('[(1)'))
    const second = await subscribe()
    source.publish('2')
    await eventually(() => expect([first.text, second.text]).toEqual(['[(1)(2)', '[(2)']))
  })
})

describe.each([
  { maximum: 10_000, next: 'another', rejection: { code: 'OVERLOADED', cause: 'subscriptions' } },
  { maximum: 1_000, next: 'key 0', rejection: { code: 'RATE_LIMITED' } },
])('there are $maximum subscriptions at most', ({ maximum, next, rejection }) => {
  const keyOf = (index: number) => `key ${Math.floor(index / 1_000)}`

  it('also while they are opened, until one leaves', async () => {
    const { source, join, subscribe, subscriptions } = createScene()
    onTestFinished(() => source.end())
    const joining = Array.from({ length: maximum - 1 }, (_, index) => join(keyOf(index), keyOf(index)))
    const last = await subscribe('last', keyOf(maximum - 1))
    await expect(join(next, next)).rejects.toMatchObject(rejection)
    await Promise.all(joining)
    await expect(join(next, next)).rejects.toMatchObject(rejection)
    expect(subscriptions.size).toBe(maximum)
    last.close()
    await join(next, next)
    await expect(join(next, next)).rejects.toMatchObject(rejection)
  })
})
