import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { fingerprintOf } from '../../../../src/resource/writes/idempotency.ts'
import { crate, crateResource, crateStore, toRow } from '../../../support/crates.ts'
import { CITUS_DIALECT, createFakeDatabase, createRequestData } from '../../support/database.ts'
import { databaseErrorOf } from '../../support/database-error.ts'

const { id, ...item } = crate

it('a creation succeeds if another one with a key, which arrived with it, has to be repeated', async () => {
  const stored = new Map<string, string>()
  const locked = new Set<string>()
  let isIdTaken = true
  /** As Citus answers, which takes longer for one of them. No row: the key is locked, or stored already. */
  const createOnce = async (key: string): Promise<TextRow[]> => {
    if (locked.has(key) || stored.has(key)) return []
    locked.add(key)
    if (key === 'slow') for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    locked.delete(key)
    if (key === 'taken' && isIdTaken) {
      isIdTaken = false
      throw databaseErrorOf('23505')
    }
    const drawn = String(11 + stored.size)
    stored.set(key, drawn)
    return [toRow({ ...item, id: drawn })]
  }
  const database = createFakeDatabase(({ name, parameters: [, key = ''] }) => {
    if (name === 'createCrateOnce') return createOnce(String(key))
    const first = name === 'select idempotency_keys' ? stored.get(String(key)) : undefined
    return first === undefined ? [] : [[fingerprintOf(crateResource, item), first]]
  }, CITUS_DIALECT)
  const created = await Promise.all(
    ['taken', 'slow'].map((idempotencyKey) =>
      crateStore.createOnce(createRequestData(database), item, { owner: 'client', idempotencyKey }),
    ),
  )
  expect(created.map((one) => one.id)).toEqual(['12', '11'])
})

it('updates are not joined', async () => {
  const database = createFakeDatabase(() => [toRow(crate)], CITUS_DIALECT)
  await Promise.all(
    [id, '2'].map((one) => crateStore.update(createRequestData(database), one, { label: 'maps' })),
  )
  expect(database.statements.map(({ name }) => name)).toEqual(['updateCrate', 'updateCrate'])
})
