import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { sendError } from '../../../src/http/error-body.ts'
import { sendRequest } from '../../support/client.ts'

it('a failure to send an answer is answered with the Error body, with the headers of earlier hooks but not those of that answer', async () => {
  const app = Fastify()
  app.decorate('observe', () => undefined)
  app.setErrorHandler(sendError)
  const earlier = {
    'x-request-id': 'r-1',
    vary: 'Accept',
    'cache-control': 'private, no-cache',
    ratelimit: '"requests";r=9;t=60',
    'ratelimit-policy': '"requests";q=10;w=60',
    deprecation: '@1700000000',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: '</v2>; rel="successor-version"',
    'x-of-a-later-hook': 'kept without a list of names',
  }
  app.addHook('onRequest', async (_, reply) => void reply.headers(earlier))
  app.get('/', async (_, reply) =>
    reply.code(201).headers({ etag: '"1"', location: '/', 'x-unsendable': '例' }).send({}),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const { status: received, json, headers } = await sendRequest(`http://127.0.0.1:${port}`, '/')
  const { code, message, status } = new ServiceError('INTERNAL')
  expect([received, json]).toEqual([500, { code, message, status }])
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers).toMatchObject(earlier)
  expect(headers).not.toHaveProperty('etag')
  expect(headers).not.toHaveProperty('location')
  expect(headers).not.toHaveProperty('x-unsendable')
})
