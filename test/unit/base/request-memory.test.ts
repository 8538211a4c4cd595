import { describe, expect, it } from 'vitest'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { MAX_ANSWER, RequestMemory, type ResponseState } from '../../../src/base/request-memory.ts'

/** What all answers may hold, and what is not counted of one. */
const MAX_TOTAL = 96 * 2 ** 20
const UNCOUNTED = 16 * 2 ** 10

/** A response that the test closes. */
function createResponse({ isClosed = false } = {}): ResponseState & {
  close: () => void
  listeners: number
} {
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

const open = (budget = new MemoryBudget(), key = 'client', response: ResponseState = createResponse()) =>
  new RequestMemory(budget, key, response)
/** Takes bytes for others. */
function fill(budget: MemoryBudget, bytes: number): void {
  for (const key of ['one other', 'another']) budget.acquire(key, bytes / 2)
}

const roomIn = ({ held }: MemoryBudget) => MAX_TOTAL - held

const tooLarge = { code: 'RESPONSE_TOO_LARGE', status: 400 }
const overloaded = { code: 'OVERLOADED', status: 503 }

describe('all answers together', () => {
  it('are refused with OVERLOADED when they hold too much, until one is sent', () => {
    const budget = new MemoryBudget()
    const responses = Array.from({ length: 5 }, () => createResponse())
    for (const [index, response] of responses.entries())
      open(budget, `client ${index}`, response).holdData(MAX_ANSWER / 2)
    const answer = open(budget, 'client', createResponse())
    expect(() => answer.holdData(UNCOUNTED + 1)).toThrow(expect.objectContaining(overloaded))
    responses[0]?.close()
    answer.holdData(UNCOUNTED + 1)
    expect(budget.held).toBe(4 * MAX_ANSWER + 2 * (UNCOUNTED + 1))
  })

  it('always leave room for the text of one whose data is there, or all would wait with their data', () => {
    const budget = new MemoryBudget()
    const responses = Array.from({ length: 5 }, () => createResponse())
    const answers = responses.map((response) => open(budget, 'client', response))
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
      responses[answers.indexOf(answer)]?.close()
    }
  })

  it('are refused for their text as well', () => {
    const budget = new MemoryBudget()
    const answer = open(budget, 'client', createResponse())
    answer.holdText(MAX_ANSWER - 1)
    fill(budget, MAX_TOTAL - MAX_ANSWER + 1)
    expect(() => answer.holdText(1)).toThrow(expect.objectContaining(overloaded))
  })

  it('do not count one that was refused', () => {
    const budget = new MemoryBudget()
    fill(budget, MAX_TOTAL - UNCOUNTED)
    const response = createResponse()
    expect(() => open(budget, 'client', response).holdData(UNCOUNTED + 1)).toThrow(
      expect.objectContaining(overloaded),
    )
    response.close()
    expect(roomIn(budget)).toBe(UNCOUNTED)
  })
})

describe('the answers of one key', () => {
  it('hold half at most, so that another key can always get the largest answer', () => {
    const budget = new MemoryBudget()
    const response = createResponse()
    const takeLargest = (key: string, response = createResponse()) => {
      const answer = open(budget, key, response)
      answer.holdData(MAX_ANSWER)
      answer.holdText(MAX_ANSWER)
    }
    takeLargest('one', response)
    expect(roomIn(budget)).toBe(MAX_TOTAL / 2)
    const next = open(budget, 'one', createResponse())
    expect(() => next.holdData(UNCOUNTED + 1)).toThrow(expect.objectContaining(overloaded))
    takeLargest('other')
    expect(roomIn(budget)).toBe(0)
    response.close()
    takeLargest('one')
  })
})

describe('text that is expected', () => {
  it('is counted before there is any, and is not counted twice', () => {
    const budget = new MemoryBudget()
    const answer = open(budget, 'client', createResponse())
    answer.reserve(100_000)
    expect([answer.size, budget.held]).toEqual([100_000, 100_000])
    answer.holdText(60_000)
    expect(budget.held).toBe(100_000)
    answer.complete(60_000)
    expect(budget.held).toBe(60_000)
  })

  it('is OVERLOADED if there is no memory for it', () => {
    const budget = new MemoryBudget()
    fill(budget, MAX_TOTAL - MAX_ANSWER - 99_999)
    const answer = open(budget, 'client', createResponse())
    expect(() => answer.reserve(100_000)).toThrow(expect.objectContaining(overloaded))
    answer.reserve(99_999)
    expect(answer.size).toBe(99_999)
  })

  it('is not counted up to 16 kB, and as the largest possible one if it is more than that', () => {
    const budget = new MemoryBudget()
    const answer = open(budget, 'client', createResponse())
    answer.reserve(UNCOUNTED)
    expect(budget.held).toBe(0)
    answer.reserve(2 ** 60)
    expect(budget.held).toBe(MAX_ANSWER)
  })
})

describe('one answer', () => {
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
    const response = createResponse()
    const answer = open(budget, 'client', response)
    answer.holdData(UNCOUNTED - 1)
    answer.holdText(1)
    expect([roomIn(budget), response.listeners]).toEqual([MAX_TOTAL, 0])
  })

  it('is counted whole from then on: its data twice, until its text is complete', () => {
    const budget = new MemoryBudget()
    const answer = open(budget, 'client', createResponse())
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
    const response = createResponse()
    const answer = open(budget, 'client', response)
    for (let time = 0; time < 3; time += 1) answer.holdData(UNCOUNTED)
    answer.holdText(100_000)
    expect(response.listeners).toBe(1)
    response.close()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('takes nothing after its connection is closed, since nothing would release it', () => {
    const budget = new MemoryBudget()
    const response = createResponse()
    const answer = open(budget, 'client', response)
    answer.holdData(UNCOUNTED + 1)
    response.close()
    answer.holdData(100_000)
    answer.holdText(100_000)
    answer.complete(200_000)
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('is limited all the same when its connection was closed before: it may still be made', () => {
    const answer = open(new MemoryBudget(), 'client', createResponse({ isClosed: true }))
    answer.holdData(4 * UNCOUNTED + 1)
    expect(() => answer.holdText(MAX_ANSWER + 1)).toThrow(expect.objectContaining(tooLarge))
    expect(() => answer.holdData(MAX_ANSWER)).toThrow(expect.objectContaining(tooLarge))
  })
})

describe('a body', () => {
  it('that is not complete counts, however small, and grows', () => {
    const budget = new MemoryBudget()
    const response = createResponse()
    const request = open(budget, 'client', response)
    request.holdBody(1, false)
    request.holdBody(10, false)
    expect(budget.held).toBe(20)
    response.close()
    expect(budget.held).toBe(0)
  })

  it('that is complete counts if it is not small', () => {
    const budget = new MemoryBudget()
    open(budget).holdBody(UNCOUNTED, true)
    expect(budget.held).toBe(0)
    open(budget).holdBody(UNCOUNTED + 1, true)
    expect(budget.held).toBe(2 * (UNCOUNTED + 1))
  })

  it('counts beside what its answer needs, until that is gone', () => {
    const budget = new MemoryBudget()
    const request = open(budget)
    request.holdBody(20_000, true)
    request.holdData(1_000)
    request.complete(500)
    expect(budget.held).toBe(40_500)
    request.releaseRequest()
    expect(budget.held).toBe(0)
  })

  it('is OVERLOADED if there is no memory for it', () => {
    const budget = new MemoryBudget()
    fill(budget, MAX_TOTAL - MAX_ANSWER - 1)
    expect(() => open(budget).holdBody(1, false)).toThrow(expect.objectContaining(overloaded))
  })
})

describe('headers', () => {
  it.each([
    [UNCOUNTED, 0],
    [UNCOUNTED + 1, UNCOUNTED + 1],
  ])('of %i bytes count as %i', (bytes, held) => {
    const budget = new MemoryBudget()
    const request = new RequestMemory(budget, 'client', createResponse(), bytes)
    expect([budget.held, request.size]).toEqual([held, 0])
  })
})
