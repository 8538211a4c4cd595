import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { announceDeprecation } from '../../../src/rest/deprecation.ts'

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
