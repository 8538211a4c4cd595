import { describe, expect, it, vi } from 'vitest'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'

const MAX_TOTAL = 96 * 2 ** 20
const MAX_PER_KEY = MAX_TOTAL / 2
const overloaded = expect.objectContaining({ code: 'OVERLOADED', status: 503 }) as Error

const roomIn = ({ held }: MemoryBudget) => MAX_TOTAL - held
/** One key cannot have all. */
const fill = (budget: MemoryBudget, bytes: number) =>
  ['one', 'other'].map((key) => budget.acquire(key, bytes / 2))

describe('leases', () => {
  it('have 96 MB at most together', () => {
    const budget = new MemoryBudget()
    const [lease] = fill(budget, MAX_TOTAL)
    expect(() => budget.acquire('client', 1)).toThrow(overloaded)
    lease?.resize(MAX_PER_KEY - 1)
    budget.acquire('client', 1)
    expect(roomIn(budget)).toBe(0)
  })

  it('of one key have half at most, so that another key can have as much', () => {
    const budget = new MemoryBudget()
    const lease = budget.acquire('one', MAX_PER_KEY - 10)
    expect(() => budget.acquire('one', 11)).toThrow(overloaded)
    expect(() => lease.resize(MAX_PER_KEY + 1)).toThrow(overloaded)
    budget.acquire('other', MAX_PER_KEY)
    lease.resize(MAX_PER_KEY)
  })

  it('leave room for others if they are asked to, of their share and of all', () => {
    const budget = new MemoryBudget()
    expect(() => budget.acquire('one', MAX_PER_KEY - 9, 10)).toThrow(overloaded)
    const lease = budget.acquire('one', MAX_PER_KEY - 10, 10)
    lease.resize(MAX_PER_KEY)
    // Less never needs room.
    lease.resize(MAX_PER_KEY - 1, 10)
    budget.acquire('other', MAX_PER_KEY - 9)
    expect(() => budget.acquire('third', 1, 10)).toThrow(overloaded)
  })

  it('stay as they are if there is no memory, and are released once', () => {
    const budget = new MemoryBudget()
    const lease = budget.acquire('client', 10)
    expect(() => lease.resize(MAX_TOTAL)).toThrow(overloaded)
    expect(budget.held).toBe(10)
    for (let time = 0; time < 2; time += 1) lease[Symbol.dispose]()
    expect(budget.held).toBe(0)
  })
})

describe('the text of an event', () => {
  const createText = (bytes: number) => Buffer.alloc(bytes)

  it('counts once for all subscribers, until the last has taken it', () => {
    const budget = new MemoryBudget()
    const text = createText(1_000)
    const held = [1, 2, 3].map(() => budget.holdEvent(text, vi.fn()))
    expect(roomIn(budget)).toBe(MAX_TOTAL - 1_000)
    for (const one of held.slice(1)) for (let time = 0; time < 2; time += 1) one[Symbol.dispose]()
    expect(roomIn(budget)).toBe(MAX_TOTAL - 1_000)
    held[0]?.[Symbol.dispose]()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })

  it('is given up for what comes later, the longest unread first, and no more than necessary', () => {
    const budget = new MemoryBudget()
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()]
    const text = createText(1_000)
    budget.holdEvent(text, first)
    budget.holdEvent(text, second)
    budget.holdEvent(createText(1_000), third)
    fill(budget, MAX_TOTAL - 1_000)
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
    fill(budget, MAX_TOTAL - 2_000)
    expect(() => budget.acquire('client', 2_001)).toThrow(overloaded)
    expect(giveUp).not.toHaveBeenCalled()
  })

  it('is refused if only answers could make room', () => {
    const budget = new MemoryBudget()
    const leases = fill(budget, MAX_TOTAL)
    const text = createText(1)
    expect(() => budget.holdEvent(text, vi.fn())).toThrow(overloaded)
    for (const lease of leases) lease[Symbol.dispose]()
    budget.holdEvent(text, vi.fn())[Symbol.dispose]()
    expect(roomIn(budget)).toBe(MAX_TOTAL)
  })
})
