import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { ApiKey, requireWriteScope } from '../../../src/keys/api-key.ts'
import {
  createAuthenticate,
  createKeySource,
  type KeySource,
  createSecret,
  requireValid,
} from '../../../src/keys/auth.ts'

const fixed = createKeySource(
  new Map([
    ['first', new ApiKey('ann', 'write')],
    ['second', new ApiKey('bob', 'read')],
  ]),
)

it('a key is found by the digest of its secret, in any of the sources', () => {
  const stored: KeySource = (digest) =>
    digest === createHash('sha256').update('third').digest('base64url') ? new ApiKey('cleo', 'write') : null
  const authenticate = createAuthenticate([fixed, stored])
  expect(authenticate(['Bearer second'])).toEqual({ name: 'bob', scope: 'read' })
  expect(authenticate(['bearer   third '])).toEqual({ name: 'cleo', scope: 'write' })
  expect(() => authenticate(['Bearer fourth'])).toThrow(
    expect.objectContaining({ status: 401, challenge: 'Bearer realm="pet-store", error="invalid_token"' }),
  )
})

it('the sources are asked in order, until one has the key', () => {
  const later = vi.fn<KeySource>(() => new ApiKey('other', 'write'))
  expect(createAuthenticate([fixed, later])(['Bearer first'])).toEqual({ name: 'ann', scope: 'write' })
  expect(later).not.toHaveBeenCalled()
  expect(createAuthenticate([later, fixed])(['Bearer first'])).toEqual({
    name: 'other',
    scope: 'write',
  })
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

it('new secrets are different, and are bearer tokens', () => {
  const secret = createSecret()
  expect(secret).not.toBe(createSecret())
  const authenticate = createAuthenticate([createKeySource(new Map([[secret, new ApiKey('new', 'write')]]))])
  expect(authenticate([`Bearer ${secret}`])).toEqual({ name: 'new', scope: 'write' })
})

it('a key of scope read may not write', () => {
  expect(() => requireWriteScope(new ApiKey('ann', 'write'))).not.toThrow()
  expect(() => requireWriteScope(new ApiKey('bob', 'read'))).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN', status: 403 }),
  )
})

it('a key that has ended is rejected when it is looked at again', () => {
  const key = new ApiKey('ann', 'write')
  expect(() => requireValid(key)).not.toThrow()
  key.endAt(0)
  expect(() => requireValid(key)).toThrow(
    expect.objectContaining({
      code: 'UNAUTHORIZED',
      challenge: 'Bearer realm="pet-store", error="invalid_token"',
    }),
  )
})
