import { expect, it } from 'vitest'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { MAX_ANSWER, RequestMemory, type ResponseState } from '../../../src/base/request-memory.ts'

/** What all requests may hold, and what is not counted of one. */
const MAX_TOTAL = 96 * 2 ** 20
const UNCOUNTED = 16 * 2 ** 10

/** A response that the test closes. */
function createResponse() {
  let isClosed = false
  const listeners: (() => void)[] = []
  return {
    get isClosed() {
      return isClosed
    },
    listeners,
    onClose: (listener: () => void) => void listeners.push(listener),
    close() {
      isClosed = true
      for (const listener of listeners.splice(0)) listener()
    },
  }
}

const open = (budget: MemoryBudget, response: ResponseState = createResponse(), key = 'client') =>
  new RequestMemory(budget, key, response)
const codeOf = (code: string) => expect.objectContaining({ code }) as Error
const tooLarge = codeOf('RESPONSE_TOO_LARGE')

type Step = (request: RequestMemory) => void
const data =
  (bytes: number): Step =>
  (request) =>
    request.holdData(bytes)
const text =
  (bytes: number): Step =>
  (request) =>
    request.holdText(bytes)
const complete =
  (bytes: number): Step =>
  (request) =>
    request.complete(bytes)
const reserve =
  (bytes: number): Step =>
  (request) =>
    request.reserve(bytes)
const body =
  (bytes: number, isComplete: boolean): Step =>
  (request) =>
    request.holdBody(bytes, isComplete)
const release: Step = (request) => request.releaseRequest()

/** The steps of a request, and what it holds after each; null: the step fails, and nothing of it counts. */
const scenarios: Record<string, [Step, number | null][]> = {
  'what is small is not counted': [
    [body(1_000, true), 0],
    [data(UNCOUNTED - 2_001), 0],
    [text(1_000), 0],
  ],
  'beyond 16 kB, an answer is counted whole: its data twice, until its text is complete': [
    [data(UNCOUNTED), 0],
    [data(1), 2 * (UNCOUNTED + 1)],
    [text(10), 2 * (UNCOUNTED + 1) + 10],
    [data(5), 2 * (UNCOUNTED + 6) + 10],
    [data(50_000), 2 * (UNCOUNTED + 50_006) + 10],
    [complete(10), 10],
  ],
  'its data may be 16 MB, and its text as much': [
    [data(MAX_ANSWER - 1), 2 * (MAX_ANSWER - 1)],
    [data(2), null],
    [data(1), 2 * MAX_ANSWER],
    [data(1), null],
    [text(MAX_ANSWER + 1), null],
    [text(MAX_ANSWER - 1), 3 * MAX_ANSWER - 1],
    [text(1), 3 * MAX_ANSWER],
    [text(1), null],
  ],
  'text that is expected is counted before there is any, once': [
    [reserve(UNCOUNTED), 0],
    [reserve(100_000), 100_000],
    [text(60_000), 100_000],
    [complete(60_000), 60_000],
  ],
  'no more text is expected than an answer may have': [[reserve(2 ** 60), MAX_ANSWER]],
  'a body that is not complete counts however small, and grows': [
    [body(1, false), 2],
    [body(10, false), 20],
  ],
  'a complete body counts if it is not small, beside what the answer needs, until it is released': [
    [body(UNCOUNTED, true), 0],
    [body(20_000, true), 40_000],
    [data(1_000), 42_000],
    [complete(500), 40_500],
    [release, 0],
  ],
}

it.each(Object.entries(scenarios))('%s; nothing is held once the response is closed', (_, steps) => {
  const budget = new MemoryBudget()
  const response = createResponse()
  const request = open(budget, response)
  for (const [step, held] of steps) {
    if (held === null) expect(() => step(request)).toThrow(tooLarge)
    else {
      step(request)
      expect(budget.held).toBe(held)
    }
  }
  expect(response.listeners).toHaveLength(steps.some(([, held]) => held) ? 1 : 0)
  response.close()
  expect(budget.held).toBe(0)
  // It is still made, within its limit, but nothing would release it.
  for (const step of [complete(0), data(100_000), text(200_000)]) step(request)
  expect(() => request.holdText(MAX_ANSWER)).toThrow(tooLarge)
  expect(budget.held).toBe(0)
})

it.each<[string, Step, needed: number]>([
  ['data, which leaves room for a text', data(UNCOUNTED + 1), 2 * (UNCOUNTED + 1) + MAX_ANSWER],
  ['text that is expected, which does, too', reserve(100_000), 100_000 + MAX_ANSWER],
  ['a body, which does, too', body(1, false), 2 + MAX_ANSWER],
  ['text, which needs its own bytes only', text(UNCOUNTED + 1), UNCOUNTED + 1],
])('is OVERLOADED if there is not enough memory, and may be tried again: %s', (_, step, needed) => {
  const budget = new MemoryBudget()
  // One key cannot have all.
  const [lease] = ['one', 'other'].map((key) => budget.acquire(key, (MAX_TOTAL - needed) / 2 + 1))
  const request = open(budget)
  const before = budget.held
  expect(() => step(request)).toThrow(codeOf('OVERLOADED'))
  expect(budget.held).toBe(before)
  lease?.resize((MAX_TOTAL - needed) / 2 - 1)
  step(request)
})

it('while a key has the largest answer, another one can get it, too', () => {
  const budget = new MemoryBudget()
  for (const key of ['one', 'other']) {
    const request = open(budget, createResponse(), key)
    request.holdData(MAX_ANSWER)
    request.holdText(MAX_ANSWER)
  }
  expect(budget.held).toBe(MAX_TOTAL)
})

it('the size of a request is that of its data and of text that is expected', () => {
  const request = open(new MemoryBudget())
  request.holdData(1_000)
  request.reserve(50_000)
  request.holdText(10)
  expect(request.size).toBe(51_000)
})

it.each([
  [UNCOUNTED, 0],
  [UNCOUNTED + 1, UNCOUNTED + 1],
])('headers of %i bytes count as %i', (bytes, held) => {
  const budget = new MemoryBudget()
  const request = new RequestMemory(budget, 'client', createResponse(), bytes)
  expect([budget.held, request.size]).toEqual([held, 0])
})
