import Fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { installGracefulShutdown } from '../../../src/http/graceful-shutdown.ts'

function createApp() {
  const app = Fastify()
  const shutdown = installGracefulShutdown(app, ['/healthz'])
  const { promise: slow, resolve: finishSlow } = Promise.withResolvers<object>()
  const started = vi.fn()
  app.get('/slow', () => {
    started()
    return slow
  })
  app.get('/healthz', async () => ({}))
  return { app, shutdown, started, finishSlow: () => finishSlow({}) }
}

it('an idle server has finished at once', async () => {
  const { shutdown } = createApp()
  expect(shutdown.isStarted).toBe(false)
  await shutdown.start()
  expect(shutdown.isStarted).toBe(true)
})

it('a request in flight is answered before the shutdown has finished', async () => {
  const { app, shutdown, started, finishSlow } = createApp()
  const answer = app.inject('/slow')
  await vi.waitFor(() => expect(started).toHaveBeenCalled())
  const finished = vi.fn()
  const stopping = shutdown.start().then(finished)
  await app.inject('/healthz')
  expect(finished).not.toHaveBeenCalled()
  finishSlow()
  expect((await answer).statusCode).toBe(200)
  await stopping
})

it('new requests are rejected with 503, except for exempt paths, and connections are closed', async () => {
  const { app, shutdown } = createApp()
  expect((await app.inject('/healthz')).headers.connection).not.toBe('close')
  await shutdown.start()
  const refused = await app.inject('/slow')
  expect([refused.statusCode, refused.headers.connection]).toEqual([503, 'close'])
  expect(refused.json()).toMatchObject({ code: 'SHUTTING_DOWN' })
  const exempt = await app.inject('/healthz')
  expect([exempt.statusCode, exempt.headers.connection]).toEqual([200, 'close'])
})
