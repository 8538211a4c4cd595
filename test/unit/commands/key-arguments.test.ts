import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { UsageError } from '../../../src/base/operator-error.ts'
import {
  EXAMPLE_DATE,
  EXAMPLE_DURATIONS,
  parseExpiry,
  parseKeyName,
  parseOverlap,
} from '../../../src/commands/key-arguments.ts'

it('the examples in help texts are valid, and the date is still to come', () => {
  for (const duration of EXAMPLE_DURATIONS.split(', ')) {
    expect(parseOverlap(duration).text).toBe(duration)
    expect(parseExpiry(duration)).toEqual({ after: parseOverlap(duration).seconds })
  }
  expect(parseExpiry(EXAMPLE_DATE)).toHaveProperty('at')
})

describe('a name', () => {
  it('may be a.B-9_', () => expect(parseKeyName('a.B-9_')).toBe('a.B-9_'))

  it.each(['', 'a b', 'x'.repeat(65), 'pets_k3v9x2ab_x', 'x.pets_k3v9x2ab_'])('may not be %j', (text) =>
    expect(() => parseKeyName(text)).toThrow(UsageError),
  )
})

describe('an overlap', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['1s', 1],
    ['90s', 90],
    ['15m', 900],
    ['24h', 86_400],
    ['90d', 7_776_000],
    ['999999d', 86_399_913_600],
  ])('may be %s: %i seconds', (text, seconds) => expect(parseOverlap(text)).toEqual({ text, seconds }))

  it.each(['', 's', '00', '05m', '-1h', '1.5h', '1w', '1 d', ' 1d', '1d ', '1D', '1h30m', '1000000s', '90'])(
    'may not be %j',
    (text) => expect(() => parseOverlap(text)).toThrow(UsageError),
  )
})

describe('a time of expiry', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-22T10:00:00.500Z') }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['90s', { after: 90 }],
    ['999999d', { after: 86_399_913_600 }],
    ['2026-11-22T10:00:01Z', { at: '2026-11-22T10:00:01.000Z' }],
    ['2027-12-31', { at: '2027-12-31T00:00:00.000Z' }],
    ['2028-02-29', { at: '2028-02-29T00:00:00.000Z' }],
    ['2027-12-31T12:30Z', { at: '2027-12-31T12:30:00.000Z' }],
    ['2027-12-31T23:30:15.25-02:00', { at: '2028-01-01T01:30:15.250Z' }],
    ['9999-12-31T23:59:59Z', { at: '9999-12-31T23:59:59.000Z' }],
  ])('may be %s', (text, expiry) => expect(parseExpiry(text)).toEqual(expiry))

  it.each([
    ...['', 'tomorrow', '2027', '2027-12', '31.12.2027', '2027-12-31T12:30', '2027-12-31 12:30Z'],
    ...['2027-02-29', '2027-02-30', '2027-13-01', '2027-00-10', '2027-12-31T25:00Z'],
    ...['2027-12-31T12:30+99:00', '0', '0s', '2026-11-22', '2026-11-22T10:00:00Z'],
    ...['9999-12-31T23:59:59-01:00', '99999-12-31'],
  ])('may not be %j', (text) => expect(() => parseExpiry(text)).toThrow(UsageError))
})
