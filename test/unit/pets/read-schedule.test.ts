import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Outcome, ReadSchedule } from '../../../src/pets/assets/read-schedule.js'

interface Read {
  signal: AbortSignal
  end: (outcome: Outcome) => void
  fail: (error: Error) => void
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function createSchedule() {
  const reads: Read[] = []
  const schedule = new ReadSchedule((signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    reads.push({ signal, end: resolve, fail: reject })
    return promise
  })
  return { reads, schedule }
}

/** Ends the last read. */
async function end(reads: Read[], outcome: Outcome = 'done'): Promise<void> {
  reads.at(-1)?.end(outcome)
  await vi.advanceTimersByTimeAsync(0)
}

it('reads once for all that happens in a short time', async () => {
  const { reads, schedule } = createSchedule()
  for (let events = 0; events < 5; events += 1) {
    schedule.soon()
    await vi.advanceTimersByTimeAsync(50)
  }
  expect(reads).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(50)
  expect(reads).toHaveLength(1)
})

it('lets a read end, however much happens meanwhile, and reads once more', async () => {
  const { reads, schedule } = createSchedule()
  void schedule.now()
  for (let events = 0; events < 5; events += 1) {
    await vi.advanceTimersByTimeAsync(300)
    schedule.soon()
  }
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([false])
  await end(reads)
  await vi.advanceTimersByTimeAsync(300)
  expect(reads).toHaveLength(2)
  await end(reads)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(reads).toHaveLength(2)
})

it('gives up a read for what the user does, and no longer waits for one', async () => {
  const { reads, schedule } = createSchedule()
  schedule.soon()
  const first = schedule.now()
  schedule.soon()
  void schedule.now()
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([true, false])
  // How the first one ends is of no interest any more.
  reads[0]?.end('again')
  await first
  await end(reads)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(reads).toHaveLength(2)
})

it('tries again until it is done, less and less often', async () => {
  const { reads, schedule } = createSchedule()
  void schedule.now()
  let expected = 1
  for (const delay of [500, 1000, 2000, 4000, 8000, 8000]) {
    await end(reads, 'again')
    await vi.advanceTimersByTimeAsync(delay - 1)
    expect(reads).toHaveLength(expected)
    await vi.advanceTimersByTimeAsync(1)
    expect(reads).toHaveLength(++expected)
  }
  await end(reads)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(reads).toHaveLength(expected)
  void schedule.now()
  await end(reads, 'again')
  await vi.advanceTimersByTimeAsync(500)
  expect(reads).toHaveLength(expected + 2)
})

/** @returns when the fifth read is to come, in milliseconds */
async function failFourTimes({ reads, schedule }: ReturnType<typeof createSchedule>): Promise<number> {
  void schedule.now()
  for (const delay of [500, 1000, 2000]) {
    await end(reads, 'again')
    await vi.advanceTimersByTimeAsync(delay)
  }
  await end(reads, 'again')
  return 4000
}

it('waits for the next attempt, however much happens meanwhile', async () => {
  const { reads, schedule } = createSchedule()
  const delay = await failFourTimes({ reads, schedule })
  for (let events = 0; events < 3; events += 1) {
    schedule.soon()
    await vi.advanceTimersByTimeAsync(delay / 4)
  }
  await vi.advanceTimersByTimeAsync(delay / 4 - 1)
  expect(reads).toHaveLength(4)
  await vi.advanceTimersByTimeAsync(1)
  expect(reads).toHaveLength(5)
})

it('does not wait for the next attempt when the server answers again, nor longer after the next failure', async () => {
  const { reads, schedule } = createSchedule()
  await failFourTimes({ reads, schedule })
  schedule.catchUp()
  await vi.advanceTimersByTimeAsync(299)
  expect(reads).toHaveLength(4)
  await vi.advanceTimersByTimeAsync(1)
  expect(reads).toHaveLength(5)
  await end(reads, 'again')
  await vi.advanceTimersByTimeAsync(500)
  expect(reads).toHaveLength(6)
})

it('lets a read end, and reads once more, when the server answers again meanwhile', async () => {
  const { reads, schedule } = createSchedule()
  void schedule.now()
  schedule.catchUp()
  await end(reads)
  await vi.advanceTimersByTimeAsync(300)
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([false, false])
})

it('does not try again after a fault, but reads what happens later', async () => {
  const { reads, schedule } = createSchedule()
  const read = schedule.now()
  reads[0]?.fail(new Error('A fault'))
  await expect(read).rejects.toThrow('A fault')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(reads).toHaveLength(1)
  schedule.soon()
  await vi.advanceTimersByTimeAsync(300)
  expect(reads).toHaveLength(2)
})
