import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createAuthenticate, createKeySource, type KeySource, mintSecret } from '../../src/auth.ts'

const fixed = createKeySource([
  { name: 'ann', secret: 'first' },
  { name: 'bob', secret: 'second' },
])

it('finds a key by the digest of its secret, in any of its sources', async () => {
  const stored: KeySource = async (digest) =>
    digest.equals(createHash('sha256').update('third').digest()) ? { name: 'cleo' } : null
  const authenticate = createAuthenticate([fixed, stored])
  expect(await authenticate(['Bearer second'])).toEqual({ name: 'bob' })
  expect(await authenticate(['bearer   third '])).toEqual({ name: 'cleo' })
  await expect(authenticate(['Bearer fourth'])).rejects.toMatchObject({
    status: 401,
    challenge: expect.stringContaining('invalid_token'),
  })
})

it('never looks anything up for what is no bearer token', async () => {
  const authenticate = createAuthenticate([
    () => {
      throw new Error('looked up')
    },
  ])
  for (const headers of [[], [''], ['Bearer'], ['Bearer   '], ['Basic x'], ['Bearer x', 'Bearer x']]) {
    await expect(authenticate(headers)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  }
})

it('mints secrets that are different, and bearer tokens', async () => {
  const secret = mintSecret()
  expect(secret).not.toBe(mintSecret())
  const authenticate = createAuthenticate([createKeySource([{ name: 'new', secret }])])
  expect(await authenticate([`Bearer ${secret}`])).toEqual({ name: 'new' })
})
