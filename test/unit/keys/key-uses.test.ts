import { expect, it, onTestFinished, vi } from 'vitest'
import { createDb } from '../../../src/db/postgres/drizzle.ts'
import type { TextRow } from '../../../src/db/postgres/statement.ts'
import { KeyUses } from '../../../src/keys/key-uses.ts'

it('at the end, a write in flight is awaited', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const write = Promise.withResolvers<TextRow[]>()
  const uses = new KeyUses({ db: createDb({ query: () => write.promise }) })
  uses.start()
  uses.record('k3v9x2ab')
  await vi.advanceTimersByTimeAsync(60_000)
  const closed = vi.fn()
  const closing = uses.close().then(closed)
  await vi.advanceTimersByTimeAsync(500)
  expect(closed).not.toHaveBeenCalled()
  write.resolve([])
  await closing
})
