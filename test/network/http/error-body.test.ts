import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { sendError } from '../../../src/http/error-body.ts'
import { sendRequest } from '../../support/client.ts'

it('a failure to send an answer is answered with the Error body, without the headers of that answer', async () => {
  const app = Fastify()
  app.decorate('observe', () => undefined)
  app.setErrorHandler(sendError)
  app.get('/', async (_, reply) =>
    reply
      .code(201)
      .headers({ 'x-request-id': 'r-1', vary: 'Accept', etag: '"1"', location: '/läden/例' })
      .send({}),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const { status: received, json, headers } = await sendRequest(`http://127.0.0.1:${port}`, '/')
  const { code, message, status } = new ServiceError('INTERNAL')
  expect([received, json]).toEqual([500, { code, message, status }])
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  const names = ['x-request-id', 'vary', 'etag', 'location']
  expect(names.map((name) => headers[name])).toEqual(['r-1', 'Accept', undefined, undefined])
})
