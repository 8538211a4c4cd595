/** Which host is the primary, on scripted connections; test/faults/failover.test.ts follows real ones. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import { Primary, type PrimaryChange } from '../../../../src/db/postgres/primary.ts'
import { toAddresses } from '../../../support/address.ts'

/** What a host answers: its timeline, in hexadecimal; null on a standby. */
type Answer = string | null
const [DOWN, SILENT] = ['down', 'silent']

let answers: readonly Answer[]
beforeEach(() => {
  vi.useFakeTimers()
  const hosts: Connection[] = []
  vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection) {
    if (!hosts.includes(this)) hosts.push(this)
    const answer = answers[hosts.indexOf(this)] ?? null
    if (answer === SILENT) return new Promise(() => undefined)
    const refused = Object.assign(new Error('failed'), { code: 'ECONNREFUSED' })
    return answer === DOWN ? Promise.reject(refused) : Promise.resolve([[answer]])
  })
})
afterEach(() => void vi.useRealTimers())

const hosts = toAddresses('postgres://user:hush@one:1,two:2/pets')

/** The index of the host that is used; null: none. */
function usedBy(primary: Primary): number | null {
  try {
    return hosts.indexOf(primary.address())
  } catch {
    return null
  }
}

it.each<[title: string, ...states: [one: Answer, two: Answer, used: number | null][]]>([
  ['the first one', ['1', null, 0]],
  ['the second one', [null, '1', 1]],
  ['the one that is not down', [DOWN, '1', 1]],
  ['none of two standbys', [null, null, null]],
  ['none if all are down', [DOWN, DOWN, null]],
  ['none while one has not been asked yet', ['1', SILENT, null]],
  ['of two, the one on the later timeline', ['1', '2', 1]],
  ['of two, the one on the later timeline, wherever it is', ['2', '1', 0]],
  ['of two, the one on the later timeline, which is a hexadecimal number', ['0000000A', '00000009', 0]],
  [
    'of two on one timeline, the first, or the one that is used',
    ['2', '2', 0],
    [null, '2', 1],
    ['2', '2', 1],
  ],
  ['none if the one that was used is down', ['1', null, 0], [DOWN, null, null]],
  ['none if the one that was used was demoted', ['1', null, 0], [null, null, null]],
  ['the standby that was promoted', ['1', null, 0], [DOWN, '2', 1]],
  ['the standby that was promoted, even if the old one goes on', ['1', null, 0], ['1', '2', 1]],
  [
    'not the old one that comes back, even if the new one is down',
    [DOWN, '2', 1],
    ['1', '2', 1],
    ['1', DOWN, null],
  ],
  ['the one that restarts', [null, '2', 1], [null, DOWN, null], [null, '2', 1]],
])('the primary is %s', async (_, ...states) => {
  const primary = new Primary(hosts, () => undefined)
  for (const [one, two, used] of states) {
    answers = [one, two]
    void primary.start()
    // Longer than between two probes, but not until one that is silent counts as down.
    await vi.advanceTimersByTimeAsync(1_900)
    expect(usedBy(primary)).toBe(used)
  }
  primary.close()
})

it('one host is used as it is, and never asked', async () => {
  const unexpected = () => expect.unreachable('the primary has changed')
  const primary = new Primary(hosts.slice(0, 1), unexpected)
  await primary.start(unexpected)
  primary.check()
  expect(usedBy(primary)).toBe(0)
})

it('a failover is reported once when the primary is lost, and once when one is used, without the password', async () => {
  let changes: PrimaryChange[] = []
  const onChange = vi.fn()
  const primary = new Primary(hosts, onChange)
  /** @returns what is reported while the hosts answer this, for longer than between two probes */
  const reportOf = async (...now: Answer[]) => {
    answers = now
    changes = []
    await vi.advanceTimersByTimeAsync(3_000)
    return changes
  }
  answers = [DOWN, DOWN]
  void primary.start((change) => changes.push(change))

  expect(await reportOf(DOWN, null)).toEqual([])
  expect(await reportOf('00000001', null)).toEqual([])
  expect(await reportOf(DOWN, null)).toEqual([{ lost: 'one:1: ECONNREFUSED; two:2: a standby' }])
  expect(await reportOf(DOWN, '00000002')).toEqual([{ used: 'two:2' }])
  expect(await reportOf('00000001', '00000002')).toEqual([])
  expect(await reportOf('00000001', DOWN)).toEqual([
    { lost: 'one:1: an old primary, on timeline 1 instead of 2; two:2: ECONNREFUSED' },
  ])
  expect(await reportOf('00000003', '00000002')).toEqual([{ used: 'one:1' }])
  expect(await reportOf('00000003', '00000004')).toEqual([
    { lost: 'one:1: an old primary, on timeline 3 instead of 4; two:2: a primary, on timeline 4' },
    { used: 'two:2' },
  ])
  expect(onChange).toHaveBeenCalledTimes(3)
  primary.close()
})
