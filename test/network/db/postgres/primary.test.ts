import { expect, it } from 'vitest'
import { Primary } from '../../../../src/db/postgres/primary.ts'

const unexpected = () => expect.unreachable('the primary has changed')

it('a URL with several hosts fails at once while none is known, and says what is wrong with each', async () => {
  const followed = new Primary('postgres://user:hush@127.0.0.1:1,[::1]:2/pets', unexpected)
  expect(() => followed.url()).toThrow(expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' }))
  await followed.start(unexpected)
  const cause = expect.stringMatching(/^no primary \(127\.0\.0\.1:1: E[A-Z]+; \[::1\]:2: E[A-Z]+\)$/)
  expect(() => followed.url()).toThrow(expect.objectContaining({ cause }))
  followed.close()
})
