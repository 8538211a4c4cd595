import { expect, it } from 'vitest'
import {
  CANCEL_INTERVAL_MS,
  DEADLINE_MS,
  MIN_SILENCE_OF_STATEMENT_MS,
  OPEN_LIMIT_MS,
  OPEN_LIMIT_OF_HOST_MS,
  SILENCE_LIMIT_MS,
  STATEMENT_LIMIT_MS,
} from '../../../../src/db/postgres/time-limits.ts'

it('a caller still waits when a connection was opened late, or it was found that one is dead', () => {
  expect(OPEN_LIMIT_MS).toBeLessThan(DEADLINE_MS)
  expect(SILENCE_LIMIT_MS).toBeLessThan(DEADLINE_MS)
})

it('of four hosts, the first three may be silent', () => {
  expect(3 * OPEN_LIMIT_OF_HOST_MS).toBeLessThan(DEADLINE_MS)
})

it('Postgres, or a request to cancel, ends a slow statement before its connection counts as dead', () => {
  expect(STATEMENT_LIMIT_MS + CANCEL_INTERVAL_MS).toBeLessThan(SILENCE_LIMIT_MS)
  expect(MIN_SILENCE_OF_STATEMENT_MS).toBeLessThan(STATEMENT_LIMIT_MS)
})
