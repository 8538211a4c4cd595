import { describe, expect, it, vi } from 'vitest'
import { type ClientConnection, MAX_ANSWER, MemoryBudget } from '../../../src/base/memory-budget.ts'

/** What all answers may hold, and what is not counted of one. */
const MAX_TOTAL = 96 * 2 ** 20
const UNCOUNTED = 16 * 2 ** 10

/** A connection that the test closes. */
function createConnection({ isClosed = false, isBehind = false } = {}): ClientConnection & {
  close: () => void
  listeners: number
} {
  const listeners: (() => void)[] = []
  return {
    get isClosed() {
      return isClosed
    },
    isBehind,
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

const roomIn = ({ held }: MemoryBudget) => MAX_TOTAL - held

const tooLarge = { code: 'RESPONSE_TOO_LARGE', status: 400 }
const overloaded = { code: 'OVERLOADED', status: 503 }

describe('all answers together', () => {
  it('hold 96 MB at most', () => {
    const budget = new MemoryBudget()
    expect([budget.take(MAX_TOTAL), budget.take(1)]).toEqual([true, false])
    budget.take(-1)
    expect([budget.take(2), budget.take(1)]).toEqual([false, true])
  })

  it('are refused with OVERLOADED when they hold too much, until one is sent', () => {
    const budget = new MemoryBudget()
    const connections = Array.from({ length: 5 }, () => createConnection())
    for (const [index, connection] of connections.entries())
      budget.open(`client ${index}`, connection).holdData(MAX_ANSWER / 2)
    const answer = budget.open('client', createConnection())
    expect(() => answer.holdData(UNCOUNTED + 1)).toThrow(expect.objectContaining(overloaded))
    connections[0]?.close()
    answer.holdData(UNCOUNTED + 1)
    expect(budget.held).toBe(4 * MAX_ANSWER + 2 * (UNCOUNTED + 1))
  })

  it('always leave room for the text of one whose data is there, or all would wait with their data', () => {
    const budget = new MemoryBudget()
    const connections = Array.from({ length: 5 }, () => createConnection())
    const answers = connections.map((connection) => budget.open('client', connection))
    const waiting = answers.filter((answer) => {
      try {
        answer.holdData(5 * 2 ** 20)
        return true
      } catch {
        return false
      }
    })
    expect(waiting).toHaveLength(3)
    for (const answer of waiting) {
      answer.holdText(MAX_ANSWER)
      connections[answers.indexOf(answer)]?.close()
    }
  })

  it('are refused for their text as well', () => {
    const budget = new MemoryBudget()
    const answer = budget.open('client', createConnection())
    answer.holdText(MAX_ANSWER - 1)
    budget.take(MAX_TOTAL - MAX_ANSWER + 1)
    expect(() => answer.holdText(1)).toThrow(expect.objectContaining(overloaded))
  })

  it('do not count one that was refused', () => {
    const budget = new MemoryBudget()
    budget.take(MAX_TOTAL - UNCOUNTED)
    const connection = createConnection()
    expect(() => budget.open('client', connection).holdData(UNCOUNTED + 1)).toThrow(
      expect.objectContaining(overloaded),
    )
    connection.close()
    expect(roomIn(budget)).toBe(UNCOUNTED)
  })
})

describe('the answers of one key', () => {
  it('hold half at most, so that another key can always get the largest answer', () => {
    const budget = new MemoryBudget()
    const connection = createConnection()
    const takeLargest = (key: string, connection = createConnection()) => {
      const answer = budget.open(key, connection)
      answer.holdData(MAX_ANSWER)
      answer.holdText(MAX_ANSWER)
    }
    takeLargest('one', connection)
    expect(roomIn(budget)).toBe(MAX_TOTAL / 2)
    const next = budget.open('one', createConnection())
    expect(() => next.holdData(UNCOUNTED + 1)).toThrow(expect.objectContaining(overloaded))
    takeLargest('other')
    expect(roomIn(budget)).toBe(0)
    connection.close()
    takeLargest('one')
  })
})

describe('text that is expected', () => {
  it('is counted before there is any, and is not counted twice', () => {
    const budget = new MemoryBudget()
    const answer = budget.open('client', createConnection())
    answer.reserve(100_000)
    expect([answer.size, budget.held]).toEqual([100_000, 100_000])
    answer.holdText(60_000)
    expect(budget.held).toBe(100_000)
    answer.complete(60_000)
    expect(budget.held).toBe(60_000)
  })

  it('is OVERLOADED if there is no memory for it', () => {
    const budget = new MemoryBudget()
    budget.take(MAX_TOTAL - MAX_ANSWER - 99_999)
    const answer = budget.open('client', createConnection())
    expect(() => answer.reserve(100_000)).toThrow(expect.objectContaining(overloaded))
    answer.reserve(99_999)
    expect(answer.size).toBe(99_999)
  })

  it('is not counted up to 16 kB, and as the largest possible one if it is more than that', () => {
    const budget = new MemoryBudget()
    const answer = budget.open('client', createConnection())
    answer.reserve(UNCOUNTED)
    expect(budget.held).toBe(0)
    answer.reserve(2 ** 60)
    expect(budget.held).toBe(MAX_ANSWER)
  })
})

describe('one answer', () => {
  const open = (connection = createConnection()) => new MemoryBudget().open('client', connection)

  it('is made of 16 MB at most', () => {
    const answer = open()
    answer.holdData(MAX_ANSWER - 1)
    answer.holdData(1)
    expect(() => answer.holdData(1)).toThrow(expect.objectContaining(tooLarge))
  })

  it('has 16 MB of text at most, beside its data', () => {
    const answer = open()
    answer.holdData(MAX_ANSWER)
    answer.holdText(MAX_ANSWER - 1)
    answer.holdText(1)
    expect(() => answer.holdText(1)).toThrow(expect.objectContaining(tooLarge))
  })

  it('does not count what was refused: it is dropped', () => {
    const answer = open()
    answer.holdData(MAX_ANSWER - 1)
    expect(() => answer.holdData(2)).toThrow(expect.objectContaining(tooLarge))
    answer.holdData(1)
    expect(() => answer.holdText(MAX_ANSWER + 1)).toThrow(expect.objectContaining(tooLarge))
    answer.holdText(MAX_ANSWER)
  })

  it('is not counted up to 16 kB: most are smaller', () => {
    const budget = new MemoryBudget()
    const connection = createConnection()
    const answer = budget.open('client', connection)
    answer.holdData(UNCOUNTED - 1)
    answer.holdText(1)
    expect([roomIn(budget), connection.listeners]).toEqual([MAX_TOTAL, 0])
  })

  it('is counted, however small, if another is to be sent before it', () => {
    const budget = new MemoryBudget()
    const connection = createConnection({ isBehind: true })
    budget.open('client', connection).holdText(1)
    expect(roomIn(budget)).toBe(MAX_TOTAL - 1)
    connection.close()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('is counted whole from then on: its data twice, until its text is complete', () => {
    const budget = new MemoryBudget()
    const answer = budget.open('client', createConnection())
    answer.holdData(UNCOUNTED)
    answer.holdData(1)
    expect(answer.size).toBe(UNCOUNTED + 1)
    expect(roomIn(budget)).toBe(MAX_TOTAL - 2 * (UNCOUNTED + 1))
    answer.holdText(10)
    answer.holdData(5)
    expect(roomIn(budget)).toBe(MAX_TOTAL - 2 * (UNCOUNTED + 6) - 10)
    answer.holdData(50_000)
    answer.complete(10)
    expect(roomIn(budget)).toBe(MAX_TOTAL - 10)
  })

  it('releases all of it, once, when its connection is closed', () => {
    const budget = new MemoryBudget()
    const connection = createConnection()
    const answer = budget.open('client', connection)
    for (let time = 0; time < 3; time += 1) answer.holdData(UNCOUNTED)
    answer.holdText(100_000)
    expect(connection.listeners).toBe(1)
    connection.close()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('takes nothing after its connection is closed, since nothing would release it', () => {
    const budget = new MemoryBudget()
    const connection = createConnection()
    const answer = budget.open('client', connection)
    answer.holdData(UNCOUNTED + 1)
    connection.close()
    answer.holdData(100_000)
    answer.holdText(100_000)
    answer.complete(200_000)
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('is limited all the same when its connection was closed before: it may still be made', () => {
    const answer = open(createConnection({ isClosed: true }))
    answer.holdData(4 * UNCOUNTED + 1)
    expect(() => answer.holdText(MAX_ANSWER + 1)).toThrow(expect.objectContaining(tooLarge))
    expect(() => answer.holdData(MAX_ANSWER)).toThrow(expect.objectContaining(tooLarge))
  })
})

describe('the text of an event', () => {
  const createText = (bytes: number) => Buffer.alloc(bytes)

  it('counts once for all subscribers, until the last has taken it', () => {
    const budget = new MemoryBudget()
    const text = createText(1_000)
    const takers = [1, 2, 3].map(() => budget.holdEvent(text, vi.fn()))
    expect(roomIn(budget)).toBe(MAX_TOTAL - 1_000)
    for (const taken of takers.slice(1)) for (let time = 0; time < 2; time += 1) taken()
    expect(roomIn(budget)).toBe(MAX_TOTAL - 1_000)
    takers[0]?.()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('is given up for what comes later, the longest unread first, and no more than necessary', () => {
    const budget = new MemoryBudget()
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()]
    const text = createText(1_000)
    budget.holdEvent(text, first)
    budget.holdEvent(text, second)
    budget.holdEvent(createText(1_000), third)
    expect(budget.take(MAX_TOTAL - 1_000)).toBe(true)
    expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0])
    expect(roomIn(budget)).toBe(0)
  })

  it('is given up for later ones beyond 32 MB, the longest unread first', () => {
    const budget = new MemoryBudget()
    const readers = Array.from({ length: 10 }, () => vi.fn())
    for (const giveUp of readers) budget.holdEvent(createText(8 * 2 ** 20), giveUp)
    expect(readers.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0, 0])
    expect(budget.held).toBe(32 * 2 ** 20)
  })

  it('is not given up in vain', () => {
    const budget = new MemoryBudget()
    const giveUp = vi.fn()
    budget.holdEvent(createText(1_000), giveUp)
    budget.take(1)
    expect(budget.take(MAX_TOTAL)).toBe(false)
    expect(giveUp).not.toHaveBeenCalled()
  })

  it('is refused if only answers could make room', () => {
    const budget = new MemoryBudget()
    budget.take(MAX_TOTAL)
    const text = createText(1)
    expect(() => budget.holdEvent(text, vi.fn())).toThrow(expect.objectContaining(overloaded))
    budget.take(-MAX_TOTAL)
    budget.holdEvent(text, vi.fn())()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })
})
