import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import {
  ApiKey,
  createAuthenticate,
  digestOf,
  type KeySource,
  replaceKeys,
} from '../../../src/keys/api-key.ts'

const keysOf = (...keys: [string, ApiKey][]) => new Map(keys)

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

const keys = keysOf(
  [digestOf('first'), new ApiKey('ann', 'write')],
  [digestOf('second'), new ApiKey('bob', 'read')],
)
const fixed: KeySource = (digest) => keys.get(digest) ?? null

it('a key is found by the digest of its secret, in any of the sources', () => {
  const stored: KeySource = (digest) =>
    digest === createHash('sha256').update('third').digest('base64url') ? new ApiKey('cleo', 'write') : null
  const authenticate = createAuthenticate([fixed, stored])
  expect(authenticate(['Bearer second'])).toMatchObject({ name: 'bob', scope: 'read' })
  expect(authenticate(['bearer   third '])).toMatchObject({ name: 'cleo', scope: 'write' })
  expect(() => authenticate(['Bearer fourth'])).toThrow(
    expect.objectContaining({ status: 401, challenge: 'Bearer realm="pet-store", error="invalid_token"' }),
  )
})

it('a key that was valid is asked for again at each request', () => {
  const kept = new Map(keys)
  const authenticate = createAuthenticate([(digest) => kept.get(digest) ?? null])
  expect(authenticate(['Bearer first'])).toBe(keys.get(digestOf('first')))
  expect(authenticate(['Bearer first'])).toBe(keys.get(digestOf('first')))
  kept.delete(digestOf('first'))
  expect(() => authenticate(['Bearer first'])).toThrow('The API key is not valid.')
})

it('the first source that has the key decides', () => {
  const later = vi.fn<KeySource>(() => new ApiKey('other', 'write'))
  expect(createAuthenticate([fixed, later])(['Bearer first'])).toMatchObject({ name: 'ann', scope: 'write' })
  expect(later).not.toHaveBeenCalled()
})

it.each([
  ['no header', []],
  ['an empty header', ['']],
  ['the scheme alone', ['Bearer']],
  ['no token', ['Bearer   ']],
  ['another scheme', ['Basic first']],
  ['a scheme that starts with Bearer', ['BearerX first']],
  ['two headers', ['Bearer first', 'Bearer first']],
])('nothing is looked up for %s', (_, headers) => {
  const source = vi.fn(fixed)
  expect(() => createAuthenticate([source])(headers)).toThrow(
    expect.objectContaining({ code: 'UNAUTHORIZED', challenge: 'Bearer realm="pet-store"' }),
  )
  expect(source).not.toHaveBeenCalled()
})
