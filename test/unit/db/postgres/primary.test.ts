import { describe, expect, it } from 'vitest'
import {
  choosePrimary,
  followPrimary,
  type HostReport,
  latestTimeline,
} from '../../../../src/db/postgres/primary.ts'

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
    const url = 'postgres://user@localhost:1/pets?target_session_attrs=primary'
    const followed = followPrimary(url, unexpected)
    await followed.start()
    followed.check()
    expect(followed.url()).toBe(url)
  })

  it('with several hosts fails at once while none is known, and says what is wrong with each', async () => {
    const followed = followPrimary('postgres://user:hush@127.0.0.1:1,[::1]:2/pets', unexpected)
    expect(() => followed.url()).toThrow(expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' }))
    await followed.start()
    const cause = expect.stringMatching(/^no primary \(127\.0\.0\.1:1: E[A-Z]+; \[::1\]:2: E[A-Z]+\)$/)
    expect(() => followed.url()).toThrow(expect.objectContaining({ cause }))
    followed.close()
  })
})
