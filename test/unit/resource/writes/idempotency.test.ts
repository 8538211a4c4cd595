import { setImmediate } from 'node:timers/promises'
import { pgTable } from 'drizzle-orm/pg-core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { POSTGRES_DIALECT } from '../../../../src/db/database.ts'
import { createStore } from '../../../../src/resource/store.ts'
import { validateIdempotencyKey, fingerprintOf } from '../../../../src/resource/writes/idempotency.ts'
import { type Crate, crate, crateResource, toRow } from '../../../support/crates.ts'
import { CITUS_DIALECT, createFakeDatabase, createRequestData } from '../../support/database.ts'

describe('an idempotency key', () => {
  it.each([null, undefined, '!', '~', 'a', 'x'.repeat(255)])('is valid: %j', (key) => {
    expect(validateIdempotencyKey(key)).toBeNull()
  })

  it.each(['', ' ', 'a b', 'é', '\x7f', 'a\n', 'x'.repeat(256)])('is invalid: %j', (key) => {
    expect(validateIdempotencyKey(key)).toMatchObject({ argument: 'idempotencyKey' })
  })
})

describe('the fingerprint of a creation', () => {
  const first = { ...crate, note: null, unit: 'piece' }

  /** The resource of a version whose table lacks some fields, or has them in another order. */
  const withFields = (...names: (keyof Crate)[]) => ({
    ...crateResource,
    newFields: names.flatMap((name) => crateResource.newFields.find((field) => field.name === name) ?? []),
  })
  const earlier = withFields('ownerId', 'label', 'size')

  it('stays that of the earlier version if no later field is set', () => {
    expect(fingerprintOf(crateResource, first)).toBe(fingerprintOf(earlier, first))
  })

  it('does not depend on the order of the columns', () => {
    const otherOrder = withFields('size', 'label', 'ownerId')
    expect(fingerprintOf(otherOrder, first)).toBe(fingerprintOf(earlier, first))
  })

  it('is the same whether a default was sent or not', () => {
    expect(fingerprintOf(crateResource, { ...first, unit: 'piece' })).toBe(
      fingerprintOf(withFields('ownerId', 'label', 'size', 'note'), first),
    )
  })

  it('is different for each value of any field, also for the same value of another field', () => {
    const changes = [
      ...[{}, { ownerId: '8' }, { label: 'a' }, { size: null }, { size: 'large' } as const],
      ...[{ note: '' }, { note: 'unit' }, { note: 'box' }, { unit: 'box' }, { note: '', unit: 'box' }],
    ]
    const found = changes.map((change) => fingerprintOf(crateResource, { ...first, ...change }))
    expect(new Set(found).size).toBe(changes.length)
    // Two fields of the same type.
    const texts = withFields('label', 'note')
    expect(fingerprintOf(texts, { ...first, label: 'a', note: 'b' })).not.toBe(
      fingerprintOf(texts, { ...first, label: 'b', note: 'a' }),
    )
  })

  it('stays that of a version that calls the resource something else', () => {
    const renamed = { ...crateResource, words: { singular: 'box', plural: 'boxes' } }
    expect(fingerprintOf(renamed, first)).toBe(fingerprintOf(crateResource, first))
  })

  it('differs between resources with the same fields', () => {
    const other = { ...crateResource, table: pgTable('boxes', {}) }
    expect(fingerprintOf(other, first)).not.toBe(fingerprintOf(crateResource, first))
  })
})

it.each([POSTGRES_DIALECT, CITUS_DIALECT])(
  'creations delete expired keys every second, and none waits for it ($name)',
  async (dialect) => {
    const store = createStore(crateResource)
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const database = createFakeDatabase(({ name }) => {
      if (name === 'delete idempotency_keys') throw new Error('lost')
      return [toRow(crate)]
    }, dialect)
    const create = () =>
      store.createOnce(createRequestData(database), crate, { owner: 'client', idempotencyKey: 'key' })
    const countDeletions = () =>
      database.statements.filter(({ name }) => name === 'delete idempotency_keys').length
    await create()
    await create()
    vi.advanceTimersByTime(900)
    await create()
    expect(countDeletions()).toBe(1)
    vi.advanceTimersByTime(200)
    await create()
    await setImmediate()
    expect(countDeletions()).toBe(2)
  },
)
