/** After the date in the contract, a server says once that it still serves what was to be removed. */
import { afterEach, expect, it, vi } from 'vitest'
import { listen } from '../../support/app.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

afterEach(() => vi.useRealTimers())

it.each([
  ['2030-12-04T23:59:59Z', '', 0],
  ['2030-12-05T00:00:00Z', '', 1],
  ['2031-01-01T00:00:00Z', '', 1],
  ['2031-01-01T00:00:00Z', 'getPet', 0],
])('at %s with REMOVED_OPERATIONS=%j there are %i warnings', async (now, removed, count) => {
  vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] })
  const lines: Record<string, unknown>[] = []
  await listen(createFakeDatabase(), { REMOVED_OPERATIONS: removed, LOG_LEVEL: 'warn' }, (line) =>
    lines.push(line),
  )
  expect(lines.filter(({ msg }) => String(msg).includes('REMOVED_OPERATIONS=getPet'))).toHaveLength(count)
})
