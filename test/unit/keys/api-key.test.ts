import { expect, it } from 'vitest'
import { ApiKey, replaceKeys } from '../../../src/keys/api-key.ts'

const keysOf = (...keys: [string, ApiKey][]) => new Map(keys)

it('a key is valid until its end, which its source may change', () => {
  const key = new ApiKey('ann', 'write')
  expect([key.isValid, key.end]).toEqual([true, Infinity])
  key.endAt(Date.now() + 60_000)
  expect(key.isValid).toBe(true)
  key.endAt(0)
  expect(key.isValid).toBe(false)
})

it.each<[string, ApiKey | null, { same: boolean; valid: boolean; ended: string[] }]>([
  ['is still there', new ApiKey('ann', 'write'), { same: true, valid: true, ended: [] }],
  ['ends earlier', new ApiKey('ann', 'write', 1), { same: true, valid: false, ended: [] }],
  ['is gone', null, { same: false, valid: false, ended: ['ann'] }],
  ['has another name', new ApiKey('bob', 'write'), { same: false, valid: false, ended: ['ann'] }],
  ['has another scope', new ApiKey('ann', 'read'), { same: false, valid: false, ended: [] }],
])('a key that %s', (_, now, { same, valid, ended }) => {
  const before = new ApiKey('ann', 'write')
  const replaced = replaceKeys(keysOf(['secret', before]), now ? keysOf(['secret', now]) : keysOf())
  expect(replaced.keys.get('secret')).toBe(same ? before : (now ?? undefined))
  expect(before.isValid).toBe(valid)
  expect([...replaced.endedNames]).toEqual(ended)
})
