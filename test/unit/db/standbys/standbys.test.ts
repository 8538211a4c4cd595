/**
 * Where a key reads, and the time limits of standbys, on scripted connections and a clock of the test's own; test/faults/standbys.test.ts
 * and test/faults/read-your-writes.test.ts have real ones.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import type { Queryable } from '../../../../src/db/postgres/pool.ts'
import type { Statement, TextRow } from '../../../../src/db/postgres/statement.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { toAddress } from '../../../support/address.ts'
import { Standbys } from '../../../../src/db/standbys/standbys.ts'

const TIMELINE = '00000001'
const primary: Queryable = { query: () => Promise.resolve([['a pet', 'true', TIMELINE, String(written)]]) }
const statement: Statement = {
  name: 'findPets',
  text: 'select',
  parameters: [],
  prepare: true,
  writes: false,
}

/** Bytes of the log that each has. */
let written: number
let replayed: number
/** What the standby reports that a read may have seen: what it had replayed and received, as LSNs; null: the read fails. */
let seen: [replayed: string | null, received: string | null] | null
/** Whether the standby answers. */
let answers: boolean
/** When it was started. */
let startTime: string
/** The answer to a probe of a standby, if it is not that of the other variables. */
let probed: TextRow | null
let changes: (string | null)[]
let standbys: Standbys
beforeEach(async () => {
  vi.useFakeTimers()
  ;[written, replayed, answers, changes, startTime, seen] = [100, 100, true, [], '1', ['0/64', '0/64']]
  probed = null
  vi.spyOn(Connection.prototype, 'run').mockImplementation(({ name }) => {
    const row: Record<string, TextRow> = {
      readPrimary: [TIMELINE, String(written), 'database', '1'],
      readReplayed: probed ?? ['1', String(replayed), 'database', startTime],
    }
    if (name === statement.name)
      return seen
        ? Promise.resolve([['a pet', 'true', ...seen]])
        : Promise.reject(new ServiceError('DATABASE_UNAVAILABLE'))
    if (name === 'readReplayed' && !answers) return new Promise(() => undefined)
    return Promise.resolve([row[name] ?? []])
  })
  standbys = createStandbys('standby')
  const started = standbys.start((_, problem) => changes.push(problem))
  await pass(1)
  await started
  await pass(1)
})
afterEach(async () => {
  await standbys.close()
  vi.useRealTimers()
})

function createStandbys(host: string): Standbys {
  return new Standbys([{ address: toAddress(`postgres://${host}:5432/pets`), maxLag: 10 }], {
    address: () => toAddress('postgres://primary:5432/pets'),
    primary,
    connections: 10,
    observe: undefined,
  })
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

/** A read of the key. @returns says where it goes by now */
function read(key = 'key', token?: string): () => 'standby' | 'primary' | 'nowhere yet' {
  const targets: Queryable[] = []
  void Promise.resolve(standbys.targetFor(key, token)).then((target) => targets.push(target))
  return () =>
    targets.length === 0 ? 'nowhere yet' : targets[0] === standbys.all[0]?.target ? 'standby' : 'primary'
}

/** A read of the key that has ended. @returns the token that its client gets */
async function readAndRecord(key = 'key'): Promise<string> {
  const target = await standbys.targetFor(key, undefined)
  expect(await target.query(statement)).toEqual([['a pet']])
  return target.position ? standbys.recordSeen(key, target.position) : ''
}

async function findReader(key?: string, token?: string): Promise<string> {
  const target = read(key, token)
  await pass(0)
  return target()
}

/** A read of the key waits until the standby has replayed as much, and not for what it has replayed by now. */
async function expectToWaitFor(lsn: number): Promise<void> {
  expect(await findReader()).toBe('nowhere yet')
  replayed = lsn
  await pass(10)
  expect(await findReader()).toBe('standby')
}

/** Notes that the key has written. */
function write(): void {
  written += 10
  standbys.recordSeen('key', at(written))
}

const at = (lsn: number) => ({ timeline: 1, lsn: BigInt(lsn), standby: null })

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
  it('waits one second at most for the standby to replay it, then goes to the primary', async () => {
    write()
    const targets = [read()]
    await pass(100)
    targets.push(read())
    await pass(899)
    expect(targets.map((target) => target())).toEqual(['nowhere yet', 'nowhere yet'])
    await pass(1)
    replayed = written
    await pass(10)
    expect(targets.map((target) => target())).toEqual(['primary', 'standby'])
  })

  it.each([
    [
      '10,000 other keys write afterwards',
      () => {
        for (let number = 0; number < 10_000; number += 1) standbys.recordSeen(`another ${number}`, at(100))
      },
    ],
    ['the key then learns of an earlier position', () => standbys.recordSeen('key', at(written - 5))],
  ])('has to see it even if %s', async (_, learn) => {
    write()
    learn()
    replayed = written - 5
    await pass(1_000)
    await expectToWaitFor(written)
  })

  it('does not wait for a standby that is more than a second behind', async () => {
    write()
    await pass(3_000)
    expect(standbys.all[0]?.isUsed).toBe(true)
    expect(await findReader()).toBe('primary')
  })
})

describe('a key that has read from the standby', () => {
  it('may read there again, even if no probe has found yet what it has seen; another key that was told has to wait', async () => {
    seen = ['0/6E', '0/6E']
    const token = await readAndRecord()
    expect(token).toMatch(/^[\w-]{8}\.1\.6e$/)
    expect(await findReader()).toBe('standby')
    expect(await findReader('another', token)).toBe('standby')
  })

  it('has to see all of it after the standby was lost', async () => {
    seen = ['0/6E', '0/6E']
    const token = await readAndRecord()
    answers = false
    await pass(5_000)
    ;[answers, startTime] = [true, '2']
    await pass(10_000)
    expect(standbys.all[0]?.isUsed).toBe(true)
    expect(await findReader('another', token)).toBe('nowhere yet')
    expect(await findReader('another')).toBe('standby')
    await expectToWaitFor(0x6e)
  })

  it('may have seen more than the standby reported, if that had received more: only the same standby is sure to show that', async () => {
    seen = ['0/6E', '0/78']
    const token = await readAndRecord()
    expect(token).toMatch(/^[\w-]{8}\.1\.6e\.[\w-]{8}$/)
    expect(await findReader()).toBe('standby')
    expect(await findReader('another', token)).toBe('standby')
    answers = false
    await pass(5_000)
    ;[answers, startTime, replayed] = [true, '2', 0x6e]
    await pass(10_000)
    await expectToWaitFor(0x6f)
  })

  it.each([
    ['fails', () => (seen = null)],
    ['is a primary by now', () => (seen = [null, '0/64'])],
    ['has replayed less than before', () => (seen = ['0/63', '0/64'])],
  ])('reads from the primary if it %s, and then has to see what that has shown', async (_, change) => {
    written = 120
    change()
    const token = await readAndRecord()
    expect(token).toMatch(/^[\w-]{8}\.1\.78$/)
    expect(await findReader('another')).toBe('standby')
    await expectToWaitFor(120)
  })

  it('reads the rest of its operation from the primary', async () => {
    const target = await standbys.targetFor('key', undefined)
    seen = null
    await target.query(statement)
    ;[seen, written] = [['0/64', '0/64'], 130]
    await target.query(statement)
    expect(target.position).toEqual(at(130))
  })
})

it('a key that read from the primary has to see that on a standby', async () => {
  write()
  const waiting = standbys.targetFor('key', undefined)
  written += 10
  await pass(1_000)
  const target = await waiting
  await target.query(statement)
  standbys.recordSeen('key', target.position ?? at(0))
  replayed = written - 5
  await pass(1_000)
  expect(await findReader()).toBe('primary')
  replayed = written
  await pass(10)
  expect(await findReader()).toBe('standby')
})

it.each<[string, TextRow, string[]]>([
  [
    'reported once, after 5 seconds',
    ['1', '100', 'another database', '1'],
    ['a standby of another database'],
  ],
  ['not reported if it is the primary, and has no lag', ['1', null, 'database', '1'], []],
])('a standby that is not used from the start is %s', async (_, readReplayed, expected) => {
  const writing = setInterval(() => (written += 10), 1_000)
  probed = readReplayed
  const reasons: (string | null)[] = []
  const started = createStandbys('other')
  void started.start((_, reason) => reasons.push(reason))
  await pass(4_900)
  expect(reasons).toEqual([])
  await pass(60_000)
  clearInterval(writing)
  expect(reasons).toEqual(expected)
  if (expected.length === 0) expect(started.all[0]?.lag).toBe(0)
  await started.close()
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
