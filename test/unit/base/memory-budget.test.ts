import { describe, expect, it } from 'vitest'
import { type ClientConnection, MAX_ANSWER, MemoryBudget } from '../../../src/base/memory-budget.ts'

/** What all answers may hold, and what is not counted of one. */
const MAX_TOTAL = 96 * 2 ** 20
const UNCOUNTED = 64 * 2 ** 10

/** A connection that the test closes. */
function createConnection(isClosed = false): ClientConnection & { close: () => void; listeners: number } {
  const listeners: (() => void)[] = []
  return {
    get isClosed() {
      return isClosed
    },
    get listeners() {
      return listeners.length
    },
    onClose: (listener) => void listeners.push(listener),
    close() {
      isClosed = true
      for (const listener of listeners.splice(0)) listener()
    },
  }
}

/** What is left of a budget: it is taken, and given back. */
function roomIn(budget: MemoryBudget): number {
  let room = 0
  for (let step = 2 ** 30; step >= 1; step /= 2) if (budget.take(step)) room += step
  budget.release(room)
  return room
}

const tooLarge = { code: 'RESPONSE_TOO_LARGE', status: 400 }
const overloaded = { code: 'OVERLOADED', status: 503 }

describe('all answers together', () => {
  it('hold 96 MB at most', () => {
    const budget = new MemoryBudget()
    expect([budget.take(MAX_TOTAL), budget.take(1)]).toEqual([true, false])
    budget.release(1)
    expect([budget.take(2), budget.take(1)]).toEqual([false, true])
  })

  it('are refused with OVERLOADED when they hold too much, until one is sent', () => {
    const budget = new MemoryBudget()
    const connections = Array.from({ length: 6 }, () => createConnection())
    for (const connection of connections) budget.open(connection).holdData(MAX_ANSWER)
    const answer = budget.open(createConnection())
    expect(() => answer.holdData(UNCOUNTED + 1)).toThrow(expect.objectContaining(overloaded))
    connections[0]?.close()
    answer.holdData(UNCOUNTED + 1)
    expect(roomIn(budget)).toBe(MAX_ANSWER - UNCOUNTED - 1)
  })

  it('are refused for their text as well', () => {
    const budget = new MemoryBudget()
    const answer = budget.open(createConnection())
    answer.holdData(MAX_ANSWER)
    budget.take(MAX_TOTAL - MAX_ANSWER)
    expect(answer.tryHoldText(1)).toMatchObject(overloaded)
  })

  it('do not count one that was refused', () => {
    const budget = new MemoryBudget()
    budget.take(MAX_TOTAL - UNCOUNTED)
    const connection = createConnection()
    expect(() => budget.open(connection).holdData(UNCOUNTED + 1)).toThrow(expect.objectContaining(overloaded))
    connection.close()
    expect(roomIn(budget)).toBe(UNCOUNTED)
  })
})

describe('one answer', () => {
  const open = (connection = createConnection()) => new MemoryBudget().open(connection)

  it('is made of 16 MB at most', () => {
    const answer = open()
    answer.holdData(MAX_ANSWER - 1)
    answer.holdData(1)
    expect(() => answer.holdData(1)).toThrow(expect.objectContaining(tooLarge))
  })

  it('has 16 MB of text at most, beside its data', () => {
    const answer = open()
    answer.holdData(MAX_ANSWER)
    expect(answer.tryHoldText(MAX_ANSWER - 1)).toBeNull()
    expect(answer.tryHoldText(1)).toBeNull()
    expect(answer.tryHoldText(1)).toMatchObject(tooLarge)
  })

  it('does not count what was refused: it is dropped', () => {
    const answer = open()
    answer.holdData(MAX_ANSWER - 1)
    expect(() => answer.holdData(2)).toThrow(expect.objectContaining(tooLarge))
    answer.holdData(1)
    expect(answer.tryHoldText(MAX_ANSWER + 1)).toMatchObject(tooLarge)
    expect(answer.tryHoldText(MAX_ANSWER)).toBeNull()
  })

  it('is not counted up to 64 kB: most are smaller', () => {
    const budget = new MemoryBudget()
    const connection = createConnection()
    const answer = budget.open(connection)
    answer.holdData(UNCOUNTED - 1)
    answer.holdData(1)
    expect(answer.isCounted).toBe(false)
    expect([roomIn(budget), connection.listeners]).toEqual([MAX_TOTAL, 0])
  })

  it('is counted whole from then on', () => {
    const budget = new MemoryBudget()
    const answer = budget.open(createConnection())
    answer.holdData(UNCOUNTED)
    answer.holdData(1)
    expect(answer.isCounted).toBe(true)
    expect(roomIn(budget)).toBe(MAX_TOTAL - UNCOUNTED - 1)
    answer.tryHoldText(10)
    answer.holdData(5)
    expect(roomIn(budget)).toBe(MAX_TOTAL - UNCOUNTED - 16)
  })

  it('releases all of it, once, when its connection is closed', () => {
    const budget = new MemoryBudget()
    const connection = createConnection()
    const answer = budget.open(connection)
    for (let time = 0; time < 3; time += 1) answer.holdData(UNCOUNTED)
    answer.tryHoldText(100_000)
    expect(connection.listeners).toBe(1)
    connection.close()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('takes nothing after its connection is closed, since nothing would release it', () => {
    const budget = new MemoryBudget()
    const connection = createConnection()
    const answer = budget.open(connection)
    answer.holdData(UNCOUNTED + 1)
    connection.close()
    answer.holdData(100_000)
    expect(answer.tryHoldText(100_000)).toBeNull()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('is limited all the same when its connection was closed before: it may still be made', () => {
    const answer = open(createConnection(true))
    answer.holdData(UNCOUNTED + 1)
    expect(answer.isCounted).toBe(true)
    expect(answer.tryHoldText(MAX_ANSWER + 1)).toMatchObject(tooLarge)
    expect(() => answer.holdData(MAX_ANSWER)).toThrow(expect.objectContaining(tooLarge))
  })
})
