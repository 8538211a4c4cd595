import fc from 'fast-check'
import { expect, it } from 'vitest'
import { QueuedStatement } from '../../../../../src/db/postgres/pool/queued-statement.ts'
import { StatementQueue } from '../../../../../src/db/postgres/pool/statement-queue.ts'
import { seed } from '../../../../support/seed.ts'

/** What happens to a queue. Numbers choose among the statements that it could happen to. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('enqueue' as const),
        share: fc.constantFrom('key a', 'key b', 'key c', 'shared d'),
        callers: fc.constantFrom(1, 90, 200),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('dequeue' as const),
        connections: fc.integer({ min: 1, max: 6 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constantFrom(
          'finish' as const,
          'finish' as const,
          'requeue' as const,
          'disconnect' as const,
        ),
        index: fc.nat(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('expire' as const),
        after: fc.integer({ min: 0, max: 1_500 }),
      }),
    },
  ),
  { minLength: 1, maxLength: 200, size: 'max' },
)

const MAX_CALLERS = { key: 250, shared: 750, all: 1_000 }

/** A statement, and what should be known of it. */
class Known extends QueuedStatement {
  readonly share: string
  readonly client: { clientName: string; isDisconnected: boolean }
  state: 'waiting' | 'running' | 'finished' = 'waiting'

  constructor(share: string, callers: number, now: number) {
    const client = { clientName: share, isDisconnected: false }
    const owner = share.startsWith('key') ? client : null
    super({ name: share, text: '', parameters: [], prepare: false }, { callers, owner }, null, now)
    this.share = share
    this.client = client
    this.rows.catch(() => undefined)
  }
}

/** A queue, and what should be known of the statements that it has accepted. */
class Model {
  readonly #queue = new StatementQueue()
  readonly #known: Known[] = []
  #now = 0

  enqueue(share: string, callers: number): void {
    this.#now += 1
    const others = this.#callersOf(() => true)
    const own = this.#callersOf((one) => one.share === share)
    const maximum = share.startsWith('key') ? MAX_CALLERS.key : MAX_CALLERS.shared
    const isFull = own + callers > maximum || others + callers > MAX_CALLERS.all
    const queued = new Known(share, callers, this.#now)
    expect(this.#queue.enqueue(queued)).toBe(!isFull)
    if (!isFull) this.#known.push(queued)
  }

  dequeue(connections: number): void {
    const limit = Math.max(1, connections - 2)
    const isFree = ({ share }: Known) =>
      this.#in('running').filter((one) => one.share === share).length < limit
    const candidates = this.#in('waiting').filter(isFree)
    const found = this.#queue.dequeue(connections)
    const dropped = candidates.filter(({ client, isEnded }) => client.isDisconnected && isEnded)
    for (const one of dropped) one.state = 'finished'
    const next = this.#known.find((one) => one === found)
    if (!next) return expect(candidates.filter((one) => !dropped.includes(one))).toEqual([])
    const ofShare = candidates.filter(({ share, state }) => share === next.share && state === 'waiting')
    expect([candidates.includes(next), next.client.isDisconnected]).toEqual([true, false])
    expect(next.queuedAt).toBe(Math.min(...ofShare.map(({ queuedAt }) => queuedAt)))
    next.state = 'running'
  }

  finish(index: number): void {
    const queued = this.#choose('running', index)
    if (!queued) return
    this.#queue.finish(queued)
    queued.state = 'finished'
    queued.succeed([])
  }

  requeue(index: number): void {
    const queued = this.#choose('running', index)
    if (!queued || queued.isEnded) return
    this.#queue.requeue(queued)
    queued.state = 'waiting'
  }

  disconnect(index: number): void {
    const queued = this.#choose('waiting', index)
    if (queued?.owner) queued.client.isDisconnected = true
  }

  expire(after: number): void {
    this.#now += after
    const next = this.#queue.expire(this.#now)
    for (const one of this.#in('waiting')) if (one.isEnded) one.state = 'finished'
    const pending = this.#known.filter((one) => one.state !== 'finished' && !one.isEnded)
    expect(next).toBe(Math.min(...pending.map(({ deadline }) => deadline)))
    expect(next).toBeGreaterThan(this.#now)
  }

  /** What is true at any time. */
  check(): void {
    expect(this.#queue.running).toBe(this.#in('running').length)
    expect(this.#queue.waiting).toBe(this.#in('waiting').length)
  }

  /** Nothing is lost: all that waits is run in the end, or has ended. */
  finishAll(): void {
    for (let left = this.#known.length * 2; left > 0; left -= 1) {
      this.dequeue(10)
      this.finish(0)
    }
    expect(this.#known.filter(({ state, isEnded }) => state !== 'finished' || !isEnded)).toEqual([])
  }

  #in(state: Known['state']): Known[] {
    return this.#known.filter((one) => one.state === state)
  }

  #choose(state: 'waiting' | 'running', index: number): Known | undefined {
    const candidates = this.#in(state)
    return candidates[index % candidates.length]
  }

  #callersOf(isCounted: (one: Known) => boolean): number {
    return this.#known
      .filter((one) => one.state !== 'finished' && isCounted(one))
      .reduce((sum, { callers }) => sum + callers, 0)
  }
}

it(`any statements keep their order and their shares, and none is lost (SEED=${seed})`, () => {
  const property = fc.property(steps, (taken) => {
    const model = new Model()
    for (const step of taken) {
      if (step.type === 'enqueue') model.enqueue(step.share, step.callers)
      else if (step.type === 'dequeue') model.dequeue(step.connections)
      else if (step.type === 'expire') model.expire(step.after)
      else model[step.type](step.index)
      model.check()
    }
    model.finishAll()
  })
  fc.assert(property, { seed, numRuns: 100 })
})

it.each(['a', 'key a'])(
  'a statement that is named %s does not count among those of the key a',
  async (name) => {
    const queue = new StatementQueue()
    const owner = { clientName: 'a', isDisconnected: false }
    const statement = { name, text: '', parameters: [], prepare: false }
    const ofKey = new QueuedStatement(statement, { callers: MAX_CALLERS.key, owner }, null)
    const shared = new QueuedStatement(statement, { callers: MAX_CALLERS.shared }, null)
    expect([ofKey, shared].map((queued) => queue.enqueue(queued))).toEqual([true, true])
    queue.close()
    await Promise.allSettled([ofKey.rows, shared.rows])
  },
)
