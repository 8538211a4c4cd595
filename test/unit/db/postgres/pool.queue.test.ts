import { describe, expect, it, type Mock, vi } from 'vitest'
import {
  type QueuedStatement,
  type StatementOwner,
  StatementQueue,
} from '../../../../src/db/postgres/pool.ts'

/** A request of a key. */
const requestOf = (key: string) => ({ clientName: key, isGone: false })

type TestStatement = QueuedStatement & { fail: Mock<QueuedStatement['fail']> }

/** A statement that waits, named by its text. */
function queued(text: string, owner: StatementOwner | null = null, callers = 1): TestStatement {
  const statement = { name: 'test', text, parameters: [], prepare: true, writes: false }
  const settling = { watch: undefined, succeed: vi.fn(), fail: vi.fn() }
  return { statement, callers, owner, followUp: undefined, isExpired: false, ...settling }
}

/** A write that serves several requests. */
function joinedWrite(text: string, name = 'createPets', callers = 1): TestStatement {
  const { statement, ...others } = queued(text, null, callers)
  return { ...others, statement: { ...statement, name, writes: true } }
}

function queueOf(...statements: QueuedStatement[]): StatementQueue {
  const queue = new StatementQueue()
  for (const statement of statements) queue.add(statement)
  return queue
}

/** Takes everything that may run now. */
function takeAll(queue: StatementQueue): QueuedStatement[] {
  const next = queue.take(10)
  return next ? [next, ...takeAll(queue)] : []
}
const textsOf = (statements: QueuedStatement[]) => statements.map(({ statement }) => statement.text)
const numbered = (count: number, create: (text: string) => QueuedStatement) =>
  Array.from({ length: count }, (_, index) => create(String(index + 1)))

const timeout = expect.objectContaining({ code: 'TIMEOUT' }) as Error
const overloaded = expect.objectContaining({ code: 'OVERLOADED' }) as Error

describe('statements run', () => {
  it('in their order', () => {
    const queue = queueOf(queued('a'), queued('b', requestOf('ann')), queued('c'))
    expect(textsOf(takeAll(queue))).toEqual(['a', 'b', 'c'])
    expect(queue.take(10)).toBeUndefined()
  })

  it('two of one request at once, and others of its key', () => {
    const request = requestOf('ann')
    const queue = queueOf(
      ...['1', '2', '3', '4'].map((text) => queued(text, request)),
      queued('another', requestOf('ann')),
    )
    expect(textsOf(takeAll(queue))).toEqual(['1', '2', 'another'])
  })

  it('four of one key at once, and others of other keys', () => {
    const queue = queueOf(
      ...numbered(9, (text) => queued(text, requestOf('ann'))),
      queued('of bob', requestOf('bob')),
      queued('of several'),
    )
    expect(textsOf(takeAll(queue))).toEqual(['1', '2', '3', '4', 'of bob', 'of several'])
  })

  it('without a limit if they belong to no request', () => {
    expect(takeAll(queueOf(...numbered(50, (text) => queued(text))))).toHaveLength(50)
  })

  it('six writes of one kind at once if they belong to no request, and other statements', () => {
    const creations = numbered(9, (text) => joinedWrite(text))
    const queue = queueOf(...creations, joinedWrite('another', 'count'), queued('a read'))
    const [first, ...others] = takeAll(queue)
    if (!first) throw new Error('Six run at once')
    expect(textsOf([first, ...others])).toEqual(['1', '2', '3', '4', '5', '6', 'another', 'a read'])
    queue.finish(first)
    expect(textsOf(takeAll(queue))).toEqual(['7'])
  })

  it('after another of their request has ended, in their order', () => {
    const request = requestOf('ann')
    const queue = queueOf(...numbered(5, (text) => queued(text, request)))
    const [first, second] = takeAll(queue)
    if (!first || !second) throw new Error('Two run at once')
    queue.finish(second)
    expect(textsOf(takeAll(queue))).toEqual(['3'])
    queue.finish(first)
    expect(textsOf(takeAll(queue))).toEqual(['4'])
    expect(textsOf(takeAll(queue))).toEqual([])
  })

  it('after another of their key has ended, in their order', () => {
    const queue = queueOf(...numbered(6, (text) => queued(text, requestOf('ann'))))
    const [first] = takeAll(queue)
    if (!first) throw new Error('Four run at once')
    queue.add(queued('later', requestOf('bob')))
    queue.finish(first)
    expect(textsOf(takeAll(queue))).toEqual(['5', 'later'])
  })
})

describe('a statement that no one waits for any more', () => {
  it('because it has been removed is not run', () => {
    const removed = queued('removed')
    const queue = queueOf(removed, queued('next'))
    expect(queue.remove(removed)).toBe(true)
    expect(textsOf(takeAll(queue))).toEqual(['next'])
  })

  it('cannot be removed once it runs', () => {
    const running = queued('running', null, 1_000)
    const queue = queueOf(running)
    queue.take(10)
    expect(queue.remove(running)).toBe(false)
    expect(() => queue.add(queued('one more'))).toThrow(overloaded)
  })

  it('because its client is gone fails and is not run', () => {
    const request = requestOf('ann')
    const gone = ['1', '2', '3', '4'].map((text) => queued(text, request))
    const queue = queueOf(queued('first'), ...gone, queued('next', requestOf('ann')), queued('last'))
    request.isGone = true
    expect(textsOf(takeAll(queue))).toEqual(['first', 'next', 'last'])
    expect(gone.map(({ fail }) => fail.mock.calls)).toEqual(gone.map(() => [[timeout]]))
  })

  it('takes no share of its key', () => {
    const request = requestOf('ann')
    const queue = queueOf(
      ...numbered(4, (text) => queued(text, request)),
      ...numbered(4, (text) => queued(text, requestOf('ann'))),
    )
    request.isGone = true
    expect(takeAll(queue)).toHaveLength(4)
  })

  it('takes no place, although others of its key run', () => {
    const request = requestOf('ann')
    const gone = numbered(200, (text) => queued(text, request))
    const removed = numbered(46, (text) => queued(text, requestOf('ann')))
    const queue = queueOf(...numbered(4, (text) => queued(text, requestOf('ann'))))
    expect(takeAll(queue)).toHaveLength(4)
    for (const statement of [...gone, ...removed]) queue.add(statement)
    expect(() => queue.add(queued('too many', requestOf('ann')))).toThrow(overloaded)
    for (const statement of removed) queue.remove(statement)
    request.isGone = true
    for (const next of numbered(246, (text) => queued(text, requestOf('ann')))) queue.add(next)
    expect(() => queue.add(queued('too many', requestOf('ann')))).toThrow(overloaded)
  })
})

describe('callers', () => {
  it('are 1,000 at most, until their statements have ended', () => {
    const statement = queued('a', null, 999)
    const queue = queueOf(statement, queued('b'))
    expect(() => queue.add(queued('one more'))).toThrow(overloaded)
    queue.take(10)
    expect(() => queue.add(queued('one more'))).toThrow(overloaded)
    queue.finish(statement)
    queue.add(queued('others', null, 999))
    expect(() => queue.add(queued('one more'))).toThrow(overloaded)
  })

  it('of one key are 250 at most, until their statements have ended', () => {
    const statements = numbered(250, (text) => queued(text, requestOf('ann')))
    const queue = queueOf(...statements)
    const another = queued('another', requestOf('ann'))
    expect(() => queue.add(another)).toThrow(overloaded)
    queue.add(queued('of bob', requestOf('bob')))
    queue.add(queued('of several', null, 700))
    const [first] = takeAll(queue)
    if (!first) throw new Error('One runs')
    expect(() => queue.add(another)).toThrow(overloaded)
    queue.finish(first)
    queue.add(another)
    expect(() => queue.add(another)).toThrow(overloaded)
  })

  it('of writes for several requests are 750 at most, so that reads have a place', () => {
    const creation = joinedWrite('a', 'createPets', 750)
    const queue = queueOf(creation)
    expect(() => queue.add(joinedWrite('one more'))).toThrow(overloaded)
    queue.add(joinedWrite('of another kind', 'count'))
    queue.add(queued('of a key with the name of a statement', requestOf('createPets')))
    queue.add(queued('a read', null, 248))
    takeAll(queue)
    queue.finish(creation)
    queue.add(joinedWrite('one more'))
  })

  it('that are rejected are neither counted nor run', () => {
    const queue = queueOf(...numbered(250, (text) => queued(text, requestOf('ann'))))
    for (let time = 0; time < 10; time += 1)
      expect(() => queue.add(queued('refused', requestOf('ann'), 100))).toThrow(overloaded)
    queue.add(queued('others', null, 750))
    expect(textsOf(takeAll(queue))).not.toContain('refused')
  })
})

it('waiting statements fail when the queue is cleared, and their callers no longer count', () => {
  const request = requestOf('ann')
  const waiting = [queued('a', request, 250), queued('b', null, 750)]
  const queue = queueOf(...waiting)
  queue.clear()
  const unavailable = expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' }) as Error
  expect(waiting.map(({ fail }) => fail.mock.calls)).toEqual([[[unavailable]], [[unavailable]]])
  expect(queue.take(10)).toBeUndefined()
  queue.add(queued('c', request, 250))
  queue.add(queued('d', null, 750))
})
