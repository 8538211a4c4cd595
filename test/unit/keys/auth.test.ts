import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import {
  createAuthenticate,
  createKeySource,
  type KeySource,
  createSecret,
  requireWriteScope,
} from '../../../src/keys/auth.ts'

const fixed = createKeySource([
  { name: 'ann', scope: 'write', secret: 'first' },
  { name: 'bob', scope: 'read', secret: 'second' },
])

it('a key is found by the digest of its secret, in any of the sources', async () => {
  const stored: KeySource = async (digest) =>
    digest.equals(createHash('sha256').update('third').digest()) ? { name: 'cleo', scope: 'write' } : null
  const authenticate = createAuthenticate([fixed, stored])
  expect(await authenticate(['Bearer second'])).toEqual({ name: 'bob', scope: 'read' })
  expect(await authenticate(['bearer   third '])).toEqual({ name: 'cleo', scope: 'write' })
  await expect(authenticate(['Bearer fourth'])).rejects.toMatchObject({
    status: 401,
    challenge: 'Bearer realm="pet-store", error="invalid_token"',
  })
})

it('the sources are asked in order, until one has the key', async () => {
  const later = vi.fn<KeySource>(() => ({ name: 'other', scope: 'write' }))
  expect(await createAuthenticate([fixed, later])(['Bearer first'])).toEqual({ name: 'ann', scope: 'write' })
  expect(later).not.toHaveBeenCalled()
  expect(await createAuthenticate([later, fixed])(['Bearer first'])).toEqual({
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
])('nothing is looked up for %s', async (_, headers) => {
  const source = vi.fn(fixed)
  await expect(createAuthenticate([source])(headers)).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    challenge: 'Bearer realm="pet-store"',
  })
  expect(source).not.toHaveBeenCalled()
})

it('new secrets are different, and are bearer tokens', async () => {
  const secret = createSecret()
  expect(secret).not.toBe(createSecret())
  const authenticate = createAuthenticate([createKeySource([{ name: 'new', scope: 'write', secret }])])
  expect(await authenticate([`Bearer ${secret}`])).toEqual({ name: 'new', scope: 'write' })
})

it('a key of scope read may not write', () => {
  expect(() => requireWriteScope({ name: 'ann', scope: 'write' })).not.toThrow()
  expect(() => requireWriteScope({ name: 'bob', scope: 'read' })).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN', status: 403 }),
  )
})
