import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { ApiKey } from '../../../src/keys/api-key.ts'
import { announceDeprecation, countCalls } from '../../../src/rest/deprecation.ts'

it('every response of a deprecated operation announces the deprecation', async () => {
  const app = Fastify()
  const deprecation = { since: new Date('2026-11-20'), sunset: new Date('2030-12-05'), successor: '/pets' }
  const onRequest = announceDeprecation(deprecation, 'https://a/v1', 'https://a/docs')
  app.get('/', { onRequest }, async (_, reply) => reply.code(404).send({}))
  expect((await app.inject('/')).headers).toMatchObject({
    deprecation: '@1795132800',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link:
      '<https://a/v1/pets>; rel="successor-version", ' +
      '<https://a/docs>; rel="deprecation"; type="text/html", <https://a/docs>; rel="sunset"; type="text/html"',
  })
})

it('calls to a deprecated operation are counted by API key', async () => {
  const app = Fastify()
  app.decorateRequest('apiKey', null)
  app.decorateRequest('logDetails', null)
  app.addHook('onRequest', async (request) => {
    const { key } = request.headers
    if (typeof key === 'string') request.apiKey = new ApiKey(key, 'write')
  })
  app.get('/', { onRequest: countCalls() }, async ({ logDetails }) => ({ logDetails }))
  const send = async (headers: { key: string }) =>
    (await app.inject({ url: '/', headers })).json<{ logDetails: object }>().logDetails
  expect(await send({ key: 'ann' })).toEqual({ calls: 1 })
  expect(await send({ key: 'ann' })).toEqual({ calls: 2 })
  expect(await send({ key: 'bob' })).toEqual({ calls: 1 })
})
