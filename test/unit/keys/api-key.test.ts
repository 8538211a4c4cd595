import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { type ApiKey, createAuthenticate, digestOf, type KeySource } from '../../../src/keys/api-key.ts'

const keys = new Map<string, ApiKey>([
  [digestOf('first'), { name: 'ann', scope: 'write', isValid: true }],
  [digestOf('second'), { name: 'bob', scope: 'read', isValid: true }],
])
const fixed: KeySource = (digest) => keys.get(digest) ?? null

it('a key is found by the digest of its secret, in any of the sources', () => {
  const cleo: ApiKey = { name: 'cleo', scope: 'write', isValid: true }
  const stored: KeySource = (digest) =>
    digest === createHash('sha256').update('third').digest('base64url') ? cleo : null
  const authenticate = createAuthenticate([fixed, stored])
  expect(authenticate(['Bearer second'])).toMatchObject({ name: 'bob', scope: 'read' })
  expect(authenticate(['bearer   third '])).toMatchObject({ name: 'cleo', scope: 'write' })
  expect(() => authenticate(['Bearer fourth'])).toThrow(
    expect.objectContaining({ status: 401, challenge: 'Bearer realm="pet-store", error="invalid_token"' }),
  )
})

it('a valid key is looked up again at each request', () => {
  const kept = new Map(keys)
  const authenticate = createAuthenticate([(digest) => kept.get(digest) ?? null])
  expect(authenticate(['Bearer first'])).toBe(keys.get(digestOf('first')))
  expect(authenticate(['Bearer first'])).toBe(keys.get(digestOf('first')))
  kept.delete(digestOf('first'))
  expect(() => authenticate(['Bearer first'])).toThrow('The API key is not valid.')
})

it('the first source that has the key decides', () => {
  const later = vi.fn<KeySource>(() => ({ name: 'other', scope: 'write', isValid: true }))
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
