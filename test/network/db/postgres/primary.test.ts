import { expect, it } from 'vitest'
import { Primary } from '../../../../src/db/postgres/primary.ts'
import { toAddresses } from '../../../support/address.ts'

const unexpected = () => expect.unreachable('the primary has changed')

it('a URL with several hosts fails at once while none is known, and says what is wrong with each', async () => {
  const followed = new Primary(toAddresses('postgres://user:hush@127.0.0.1:1,[::1]:2/pets'), unexpected)
  expect(() => followed.address()).toThrow(expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' }))
  await followed.start(unexpected)
  const cause = expect.stringMatching(
    /^no primary \(127\.0\.0\.1:1: ECONNREFUSED; \[::1\]:2: (ECONNREFUSED|EADDRNOTAVAIL|EAFNOSUPPORT)\)$/,
  )
  expect(() => followed.address()).toThrow(expect.objectContaining({ cause }))
  followed.close()
})
