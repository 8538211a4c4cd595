import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { petStore } from '../../../src/pets/pet-resource.ts'
import { fingerprintOf } from '../../../src/resource/idempotency.ts'
import { type Crate, crate, crateResource } from '../support/crates.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'

describe('the fingerprint of a creation', () => {
  const first = { ...crate, note: null, weight: 1 }

  /** The resource of a version whose table lacks some fields, or has them in another order. */
  const withFields = (...names: (keyof Crate)[]) => ({
    ...crateResource,
    newFields: names.flatMap((name) => crateResource.newFields.find((field) => field.name === name) ?? []),
  })
  const earlier = withFields('ownerId', 'count', 'isOpen', 'size')

  it('stays that of the earlier version if no later field is set', () => {
    expect(fingerprintOf(crateResource, first)).toBe(fingerprintOf(earlier, first))
  })

  it('is the same whether a default was sent or not', () => {
    expect(fingerprintOf(crateResource, { ...first, isOpen: false })).toBe(
      fingerprintOf(withFields('ownerId', 'count', 'size'), first),
    )
  })

  it('is different for each value of any field, also for the same value of another field', () => {
    const changes = [
      ...[{}, { ownerId: '8' }, { count: 4 }, { isOpen: false }, { size: null }, { size: 'large' } as const],
      ...[
        { note: '' },
        { note: 'weight' },
        { note: '2' },
        { weight: 0 },
        { weight: 2 },
        { note: '', weight: 2 },
      ],
    ]
    const found = changes.map((change) => fingerprintOf(crateResource, { ...first, ...change }))
    expect(new Set(found).size).toBe(changes.length)
    // Two fields of the same type.
    const numbers = withFields('count', 'weight')
    expect(fingerprintOf(numbers, { ...first, count: 7, weight: 1 })).not.toBe(
      fingerprintOf(numbers, { ...first, count: 1, weight: 7 }),
    )
  })

  it('differs between resources with the same fields', () => {
    const other = { ...crateResource, words: { one: 'box', many: 'boxes' } }
    expect(fingerprintOf(other, first)).not.toBe(fingerprintOf(crateResource, first))
  })
})

it('on Citus, creations delete expired keys every ten seconds, and none waits for it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const fake = createFakeDatabase(({ name }) => {
    if (name === 'deleteIdempotencyKeys') throw new Error('lost')
    return [['11']]
  })
  const database = { ...fake, isDistributed: true }
  const create = () =>
    petStore.createOnce(
      createRequestData(database),
      { name: 'Rex', categoryId: '7', status: null },
      { owner: 'client', key: 'key' },
    )
  const countDeletions = () => fake.statements.filter(({ name }) => name === 'deleteIdempotencyKeys').length
  await create()
  await create()
  vi.advanceTimersByTime(9_000)
  await create()
  expect(countDeletions()).toBe(1)
  vi.advanceTimersByTime(2_000)
  await create()
  await setImmediate()
  expect(countDeletions()).toBe(2)
})
