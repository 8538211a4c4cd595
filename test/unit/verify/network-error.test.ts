import { expect, it } from 'vitest'
import { describeNetworkError } from '../../../src/verify/network-error.ts'

it.each([
  ['ECONNREFUSED', /Nothing is listening there/],
  ['ENOTFOUND', /The name pets\.example\.com is unknown/],
  ['EAI_AGAIN', /is unknown/],
  ['EHOSTUNREACH', /a firewall/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /for another name/],
  ['CERT_HAS_EXPIRED', /Renew its certificate/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
  ['EPROTO', /does not speak TLS/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS/],
  ['HPE_INVALID_CONSTANT', /does not speak HTTP/],
  ['ECONNRESET', /closed the connection/],
])('the message for %s says why, and what to do', (code, remedy) => {
  const error = Object.assign(new Error(`it failed: ${code}`), { code })
  const message = describeNetworkError(error, new URL('https://pets.example.com:8443/v1'), 15_000)
  expect(message).toMatch(
    new RegExp(`^pets\\.example\\.com:8443 cannot be reached: it failed: ${code}\\.\\n`),
  )
  expect(message).toMatch(remedy)
})

it('the message for a timeout says how long it waited', () => {
  const error = new DOMException('aborted', 'TimeoutError')
  const message = describeNetworkError(error, new URL('https://pets.example.com/v1'), 15_000)
  expect(message).toMatch(/^pets\.example\.com did not answer within 15 seconds\./)
})

it('the message for anything else repeats it', () => {
  const describe = (error: unknown) => describeNetworkError(error, new URL('https://x/v1'), 15_000)
  expect(describe(new Error('odd'))).toBe('x cannot be reached: odd.')
  expect(describe('odd')).toBe('x cannot be reached: odd')
})
