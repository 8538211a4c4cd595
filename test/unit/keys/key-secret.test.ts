import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { containsSecret, createKeySecret, hideSecrets, readKeyId } from '../../../src/keys/key-secret.ts'

/** Created by an earlier version; it must stay valid. */
const SECRET = 'pets_k3v9x2ab_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE4I8aut'

it('a secret has the id of its key, 43 random characters and a checksum', () => {
  const { id, secret, digest } = createKeySecret()
  expect(id).toMatch(/^[a-z0-9]{8}$/)
  expect(secret).toMatch(new RegExp(`^pets_${id}_[A-Za-z0-9_-]{43}[A-Za-z0-9]{6}$`))
  expect(digest).toBe(createHash('sha256').update(secret).digest('base64url'))
  expect(readKeyId(secret)).toBe(id)
})

it('new secrets are different, and so are their ids', () => {
  const created = Array.from({ length: 100 }, createKeySecret)
  expect(new Set(created.map(({ id }) => id)).size).toBe(100)
  expect(new Set(created.map(({ secret }) => secret)).size).toBe(100)
})

it('a secret of an earlier version is valid', () => expect(readKeyId(SECRET)).toBe('k3v9x2ab'))

it('the checksum detects any single changed, missing, repeated or swapped character', () => {
  const characters = 'AZaz09-_'
  const mistyped = Array.from(SECRET).flatMap((original, index) => {
    const [start, others] = [SECRET.slice(0, index), SECRET.slice(index + 1)]
    const next = others.charAt(0)
    return [
      ...Array.from(characters, (character) => start + character + others),
      start + others,
      start + original + original + others,
      start + next + original + others.slice(1),
    ].filter((text) => text !== SECRET)
  })
  expect(mistyped.length).toBeGreaterThan(500)
  expect(mistyped.filter((text) => readKeyId(text) !== null)).toEqual([])
})

it.each(['', 'pets_', 'a-secret-of-the-tests', ` ${SECRET}`, `${SECRET}\n`, `${SECRET}${SECRET}`])(
  '%j is not such a secret',
  (text) => expect(readKeyId(text)).toBeNull(),
)

it('of secrets in a text, only the ids are left', () => {
  const mistyped = SECRET.slice(0, 20)
  expect(hideSecrets(`Is it '${SECRET}', xx${mistyped}, or ${mistyped} x?`)).toBe(
    "Is it 'pets_k3v9x2ab_…', xxpets_k3v9x2ab_…, or pets_k3v9x2ab_… x?",
  )
})

it.each([
  [SECRET, true],
  [`Bearer ${SECRET.slice(0, -1)}`, true],
  ['pets_k3v9x2ab', false],
  ['shop', false],
])('whether %j contains a secret: %s', (text, expected) => expect(containsSecret(text)).toBe(expected))
