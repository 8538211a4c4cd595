/**
 * The time limits of standbys, on scripted connections and a clock of the test's own; test/faults/standbys.test.ts and
 * test/faults/read-your-writes.test.ts have real ones.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import type { Queryable } from '../../../../src/db/postgres/pool.ts'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { Standbys } from '../../../../src/db/standbys/standbys.ts'

const TIMELINE = '00000001'
const primary: Queryable = { query: () => Promise.resolve([]) }

/** Bytes of the log that each has. */
let written: number
let replayed: number
/** Whether the standby answers. */
let answers: boolean
let changes: (string | null)[]
let standbys: Standbys
beforeEach(async () => {
  vi.useFakeTimers()
  ;[written, replayed, answers, changes] = [100, 100, true, []]
  vi.spyOn(Connection.prototype, 'run').mockImplementation(({ name }) => {
    const row: Record<string, TextRow> = {
      readPrimary: [TIMELINE, String(written), 'database', '1'],
      readReplayed: ['1', String(replayed), 'database'],
    }
    if (name === 'readReplayed' && !answers) return new Promise(() => undefined)
    return Promise.resolve([row[name] ?? []])
  })
  standbys = new Standbys([{ url: 'postgres://standby:5432/pets', maxLag: 10 }], {
    address: () => 'postgres://primary:5432/pets',
    primary,
    observe: undefined,
  })
  standbys.onChange = (_, problem) => changes.push(problem)
  const started = standbys.start()
  await pass(1)
  await started
  await pass(1)
})
afterEach(async () => {
  await standbys.close()
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

/** A read of the key. @returns says where it goes by now */
function read(): () => 'standby' | 'primary' | 'nowhere yet' {
  const readers: Queryable[] = []
  void Promise.resolve(standbys.readerFor('key', undefined)).then((reader) => readers.push(reader))
  return () => (readers.length === 0 ? 'nowhere yet' : readers[0] === primary ? 'primary' : 'standby')
}

async function findReader(): Promise<string> {
  const target = read()
  await pass(0)
  return target()
}

/** Notes that the key has written. */
function write(): void {
  written += 10
  standbys.noteSeen('key', { timeline: 1, lsn: BigInt(written) })
}

/** Milliseconds until the standby is used, or is not. */
async function measureUntil(isUsed: boolean): Promise<number> {
  const start = performance.now()
  while (standbys.all[0]?.isUsed !== isUsed) await pass(10)
  return performance.now() - start
}

it('a standby that has everything answers at once', async () => {
  expect(changes).toEqual([null])
  expect(await findReader()).toBe('standby')
})

describe('a read that has to see a write', () => {
  it('waits for the standby to replay it', async () => {
    write()
    const target = read()
    await pass(900)
    expect(target()).toBe('nowhere yet')
    replayed = written
    await pass(10)
    expect(target()).toBe('standby')
  })

  it('waits one second at most, then goes to the primary', async () => {
    write()
    const target = read()
    await pass(999)
    expect(target()).toBe('nowhere yet')
    await pass(1)
    expect(target()).toBe('primary')
  })

  it('has to see it even if 10,000 other keys write afterwards', async () => {
    write()
    await pass(1_000)
    const position = { timeline: 1, lsn: BigInt(written) }
    for (let number = 0; number < 10_000; number += 1) standbys.noteSeen(`another ${number}`, position)
    expect(await findReader()).toBe('nowhere yet')
    replayed = written
    await pass(10)
    expect(await findReader()).toBe('standby')
  })

  it('does not wait for a standby that is more than a second behind', async () => {
    write()
    await pass(3_000)
    expect(standbys.all[0]?.isUsed).toBe(true)
    expect(await findReader()).toBe('primary')
  })
})

describe('a standby that does not answer', () => {
  // Between two probes, and right before one.
  it.each([0, 250, 499])('is left out within 2 seconds, %i ms after a probe', async (milliseconds) => {
    await pass(milliseconds)
    answers = false
    expect(await measureUntil(false)).toBeLessThanOrEqual(2_000)
    expect(await findReader()).toBe('primary')
    expect(changes.at(-1)).toBe('no answer in 1 s')
  })

  it('is taken back within 10 seconds after it answers again', async () => {
    answers = false
    await pass(60_000)
    answers = true
    expect(await measureUntil(true)).toBeLessThanOrEqual(10_000)
    expect(await findReader()).toBe('standby')
  })
})

describe('a standby that does not replay', () => {
  const writeFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      written += 10
      await pass(1_000)
    }
  }

  it('is left out within 2 seconds after max_lag, and taken back within 10 after it has caught up', async () => {
    await writeFor(10)
    expect(standbys.all[0]?.isUsed).toBe(true)
    expect(await measureUntil(false)).toBeLessThanOrEqual(2_000)
    expect(changes.at(-1)).toBe('10 s behind the primary')
    await writeFor(60)
    replayed = written
    expect(await measureUntil(true)).toBeLessThanOrEqual(10_000)
  })

  it('is used while the primary writes nothing', async () => {
    await pass(60_000)
    expect(changes).toEqual([null])
    expect(await findReader()).toBe('standby')
  })
})
