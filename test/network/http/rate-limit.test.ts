/** AUTH_FAILURE_LIMIT behind proxies. */
import { expect, it } from 'vitest'
import { createFakeDatabase } from '../../unit/support/database.ts'
import { listen } from '../../support/app.ts'
import { sendRequest } from '../../support/client.ts'

it.each([
  ['counts each client of a trusted proxy for itself', { TRUST_PROXY: 'loopback' }, 401],
  ['counts each client of a trusted network for itself', { TRUST_PROXY: '10.0.0.0/8,127.0.0.0/8' }, 401],
  ['does not believe a proxy that is not trusted', { TRUST_PROXY: '10.0.0.0/8' }, 429],
  ['does not believe any proxy by default', {}, 429],
])('AUTH_FAILURE_LIMIT %s, by X-Forwarded-For', async (_, env, ofAnother) => {
  const { url } = await listen(createFakeDatabase(), { AUTH_FAILURE_LIMIT: '2/60', ...env })
  const send = async (address: string) =>
    (await sendRequest(url, '/v1/pets', { headers: { 'x-forwarded-for': address } })).status
  // What a client puts in front of its own address does not count.
  expect([await send('192.0.2.1'), await send('192.0.2.9, 192.0.2.1')]).toEqual([401, 401])
  expect(await send('192.0.2.1')).toBe(429)
  expect(await send('192.0.2.2')).toBe(ofAnother)
})

it.each(['', ':50000'])(
  'a client is limited by its address, whatever its port and that of an inner proxy in X-Forwarded-For: %j',
  async (ofProxy) => {
    const env = { AUTH_FAILURE_LIMIT: '2/60', TRUST_PROXY: 'loopback,10.0.0.1' }
    const { url } = await listen(createFakeDatabase(), env)
    const send = async (client: string) => {
      const headers = { 'x-forwarded-for': `${client}, 10.0.0.1${ofProxy}` }
      return (await sendRequest(url, '/v1/pets', { headers })).status
    }
    const guesses = [
      '192.0.2.1:1',
      '192.0.2.1:2',
      '192.0.2.1:3',
      '[2001:db8::1]:1',
      '[2001:db8::1]:2',
      '[2001:db8::2]:3',
    ]
    const statuses = []
    for (const client of guesses) statuses.push(await send(client))
    expect(statuses).toEqual([401, 401, 429, 401, 401, 429])
  },
)
