import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import {
  choosePrimary,
  Primary,
  type HostReport,
  latestTimeline,
  type PrimaryChange,
} from '../../../../src/db/postgres/primary.ts'
import { toAddresses } from '../../../support/address.ts'

const standby: HostReport = { state: 'standby' }
const down: HostReport = { state: 'unavailable', cause: 'ECONNREFUSED' }
const primary = (timeline: number): HostReport => ({ state: 'primary', timeline })

interface Case {
  name: string
  reports: (HostReport | null)[]
  /** The current host; absent: none. */
  current?: number
  /** The latest timeline seen before; absent: none. */
  seen?: number
  chosen: number | null
}

const cases: Case[] = [
  { name: 'the primary is first', reports: [primary(1), standby], chosen: 0 },
  { name: 'the primary is second', reports: [standby, primary(1)], chosen: 1 },
  { name: 'the first host is down', reports: [down, primary(1)], chosen: 1 },
  { name: 'only standbys', reports: [standby, standby], chosen: null },
  { name: 'all are down', reports: [down, down], chosen: null },
  { name: 'a host has not been asked yet', reports: [primary(1), null], chosen: null },
  { name: 'two primaries, the first one old', reports: [primary(1), primary(2)], chosen: 1 },
  { name: 'two primaries, the second one old', reports: [primary(2), primary(1)], chosen: 0 },
  { name: 'timelines are numbers, not text', reports: [primary(9), primary(10)], chosen: 1 },
  { name: 'two primaries on one timeline', reports: [primary(2), primary(2)], chosen: 0 },
  { name: 'and one is current', reports: [primary(2), primary(2)], current: 1, seen: 2, chosen: 1 },
  { name: 'the current one goes on', reports: [standby, primary(1)], current: 1, seen: 1, chosen: 1 },
  { name: 'the current one is down', reports: [down, standby], current: 0, seen: 1, chosen: null },
  { name: 'the current one was demoted', reports: [standby, standby], current: 0, seen: 1, chosen: null },
  { name: 'the standby was promoted', reports: [down, primary(2)], current: 0, seen: 1, chosen: 1 },
  { name: 'while the old one goes on', reports: [primary(1), primary(2)], current: 0, seen: 1, chosen: 1 },
  { name: 'the old one comes back', reports: [primary(1), primary(2)], current: 1, seen: 2, chosen: 1 },
  { name: 'and the new one is down', reports: [primary(1), down], current: 1, seen: 2, chosen: null },
  { name: 'and nothing was current', reports: [primary(1), down], seen: 2, chosen: null },
  { name: 'the current one restarts', reports: [standby, primary(2)], seen: 2, chosen: 1 },
]

describe('the primary', () => {
  it.each(cases)('if $name', ({ reports, current = null, seen = 0, chosen }) => {
    const latest = latestTimeline(reports, seen)
    expect(choosePrimary(reports, { current, latest })).toBe(chosen)
  })
})

describe('a URL', () => {
  const unexpected = () => expect.unreachable('the primary has changed')

  it('with one host is used as it is, and never asked', async () => {
    const [address] = toAddresses('postgres://user@localhost:1/pets')
    const followed = new Primary(address ? [address] : [], unexpected)
    await followed.start(unexpected)
    followed.check()
    expect(followed.address()).toBe(address)
  })
})

describe('a failover', () => {
  /** What each host answers: a timeline, null on a standby; undefined: it is down. */
  let answers: (string | null | undefined)[]
  beforeEach(() => {
    vi.useFakeTimers()
    const hosts: Connection[] = []
    vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection) {
      if (!hosts.includes(this)) hosts.push(this)
      const answer = answers[hosts.indexOf(this)]
      const refused = Object.assign(new Error('failed'), { code: 'ECONNREFUSED' })
      return answer === undefined ? Promise.reject(refused) : Promise.resolve([[answer]])
    })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is reported once when the primary is lost, and once when one is used, without the password', async () => {
    let changes: PrimaryChange[] = []
    const onChange = vi.fn()
    const followed = new Primary(toAddresses('postgres://user:hush@one:1,two:2/pets'), onChange)
    /** @returns what is reported while the hosts answer this, for longer than between two probes */
    const reportOf = async (...now: typeof answers) => {
      answers = now
      changes = []
      await vi.advanceTimersByTimeAsync(3_000)
      return changes
    }
    answers = [undefined, undefined]
    void followed.start((change) => changes.push(change))

    expect(await reportOf(undefined, null)).toEqual([])
    expect(await reportOf('00000001', null)).toEqual([])
    expect(await reportOf(undefined, null)).toEqual([{ lost: 'one:1: ECONNREFUSED; two:2: a standby' }])
    expect(await reportOf(undefined, '00000002')).toEqual([{ used: 'two:2' }])
    expect(await reportOf('00000001', '00000002')).toEqual([])
    expect(await reportOf('00000001', undefined)).toEqual([
      { lost: 'one:1: an old primary, on timeline 1 instead of 2; two:2: ECONNREFUSED' },
    ])
    expect(await reportOf('00000003', '00000002')).toEqual([{ used: 'one:1' }])
    expect(await reportOf('00000003', '00000004')).toEqual([
      { lost: 'one:1: an old primary, on timeline 3 instead of 4; two:2: a primary, on timeline 4' },
      { used: 'two:2' },
    ])
    expect(onChange).toHaveBeenCalledTimes(3)
    followed.close()
  })
})
