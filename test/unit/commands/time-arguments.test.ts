import { describe, expect, it } from 'vitest'
import {
  EXAMPLE_DATE,
  EXAMPLE_DURATIONS,
  parseDuration,
  parseTime,
} from '../../../src/commands/time-arguments.ts'

it('the examples in help texts are valid, and the date is still to come', () => {
  for (const duration of EXAMPLE_DURATIONS.split(', ')) expect(parseDuration(duration)).toBeGreaterThan(0)
  expect(parseTime(EXAMPLE_DATE)?.getTime()).toBeGreaterThan(Date.now())
})

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['1s', 1],
    ['90s', 90],
    ['15m', 900],
    ['24h', 86_400],
    ['90d', 7_776_000],
    ['999999d', 86_399_913_600],
  ])('may be %s: %i seconds', (text, seconds) => expect(parseDuration(text)).toBe(seconds))

  it.each(['', 's', '00', '05m', '-1h', '1.5h', '1w', '1 d', ' 1d', '1d ', '1D', '1h30m', '1000000s', '90'])(
    'may not be %j',
    (text) => expect(parseDuration(text)).toBeNull(),
  )
})

describe('a time', () => {
  const now = new Date('2026-11-22T10:00:00.500Z')
  it.each([
    ['90s', '2026-11-22T10:01:30.500Z'],
    ['90d', '2027-02-20T10:00:00.500Z'],
    ['2027-12-31', '2027-12-31T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-12-31T12:30Z', '2027-12-31T12:30:00.000Z'],
    ['2027-12-31T23:30:15.25-02:00', '2028-01-01T01:30:15.250Z'],
  ])('may be %s', (text, time) => expect(parseTime(text, now)?.toISOString()).toBe(time))

  it.each([
    ...['', 'tomorrow', '2027', '2027-12', '31.12.2027', '2027-12-31T12:30', '2027-12-31 12:30Z'],
    ...['2027-02-29', '2027-02-30', '2027-13-01', '2027-00-10', '2027-12-31T25:00Z'],
    ...['2027-12-31T12:30+99:00'],
  ])('may not be %j', (text) => expect(parseTime(text, now)).toBeNull())
})
