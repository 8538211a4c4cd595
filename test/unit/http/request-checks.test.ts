import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { registerRequestChecks } from '../../../src/http/request-checks.ts'

function createApp() {
  const app = Fastify()
  registerRequestChecks(app)
  app.get('/', async () => ({}))
  return app
}

it('every answer has the id of its request', async () => {
  const app = createApp()
  expect((await app.inject('/')).headers['x-request-id']).toBeDefined()
  expect((await app.inject('/unknown')).headers['x-request-id']).toBeDefined()
})

it('an unknown path is 404, with the Error body', async () => {
  const response = await createApp().inject('/unknown')
  expect([response.statusCode, response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
})

it.each([
  [16_384, 200],
  [16_385, 414],
])('a request target of %d characters is answered with %d', async (length, status) => {
  expect((await createApp().inject(`/?${'x'.repeat(length - 2)}`)).statusCode).toBe(status)
})
