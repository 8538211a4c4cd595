import Fastify, { type InjectOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import { sendError } from '../../../src/http/error-body.ts'
import { registerETags } from '../../../src/http/etag.ts'

const app = Fastify()
app.setErrorHandler(sendError)
app.decorateRequest('record', null)
registerETags(app)
app.get<{ Querystring: { link?: string; body?: string; status?: string; cache?: string; type?: string } }>(
  '/',
  async ({ query }, reply) => {
    if (query.link) reply.header('link', query.link)
    reply.header('cache-control', query.cache ?? 'private, no-cache')
    if (query.type) reply.type(query.type)
    return reply.code(Number(query.status ?? 200)).send(JSON.stringify({ body: query.body }))
  },
)
const changes = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
app.route({ method: [...changes], url: '/', handler: async () => ({}) })

const send = (options: InjectOptions = {}) => app.inject({ url: '/', ...options })
const etagOf = async (url: string) => (await send({ url })).headers.etag

describe('an ETag', () => {
  it('is the same for equal responses, and different for different ones', async () => {
    const etag = await etagOf('/?body=a')
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(await etagOf('/?body=a')).toBe(etag)
    expect(await etagOf('/?body=b')).not.toBe(etag)
    expect(await etagOf('/?body=a&link=next')).not.toBe(etag)
    expect(await etagOf('/?body=a&type=application/x')).not.toBe(etag)
    expect((await send({ url: '/?body=a', method: 'HEAD' })).headers.etag).toBe(etag)
  })

  it('is sent only with successful reads', async () => {
    expect(await etagOf('/?status=404')).toBeUndefined()
    expect(await etagOf('/?cache=no-store')).toBeUndefined()
    for (const method of changes) expect((await send({ method })).headers.etag).toBeUndefined()
  })
})

describe('If-None-Match', () => {
  const ask = async (value: string, method: 'GET' | 'HEAD' = 'GET') =>
    send({ method, headers: { 'if-none-match': value, 'cache-control': 'no-cache' } })

  it.each(['GET', 'HEAD'] as const)('%s is answered with 304 if it contains the ETag', async (method) => {
    const etag = String(await etagOf('/'))
    for (const value of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const { statusCode, body, headers } = await ask(value, method)
      expect([statusCode, body, headers.etag]).toEqual([304, '', etag])
      expect(headers).not.toHaveProperty('content-type')
    }
  })

  it('is answered with 200 if it contains another one', async () => {
    const { statusCode, body } = await ask('"x"')
    expect([statusCode, body]).toEqual([200, '{}'])
  })
})

describe('If-Match', () => {
  const ask = async (value: string, more: object = {}) => send({ headers: { 'if-match': value, ...more } })

  it('is answered with 200 if it contains the ETag', async () => {
    const etag = String(await etagOf('/'))
    for (const value of [etag, `"x", ${etag}`, `"x",${etag} `, '*', ' * ']) {
      const { statusCode, body } = await ask(value)
      expect([statusCode, body]).toEqual([200, '{}'])
    }
  })

  it('is answered with 412 if it does not; a weak tag never matches', async () => {
    const etag = String(await etagOf('/'))
    for (const value of ['"x"', `W/${etag}`, '', etag.slice(1, -1)]) {
      const { statusCode, headers, json } = await ask(value)
      expect([statusCode, json()]).toMatchObject([412, { code: 'PRECONDITION_FAILED', status: 412 }])
      expect(headers.etag).toBeUndefined()
    }
  })

  it('comes before If-None-Match', async () => {
    const etag = String(await etagOf('/'))
    expect((await ask('"x"', { 'if-none-match': etag })).statusCode).toBe(412)
    expect((await ask(etag, { 'if-none-match': etag })).statusCode).toBe(304)
  })

  it('does not matter for a response that is no representation', async () => {
    const headers = { 'if-match': '"x"' }
    expect((await send({ url: '/?status=404', headers })).statusCode).toBe(404)
  })

  it.each(changes)('is too late for the answer to %s, which has been carried out', async (method) => {
    const { statusCode, body } = await send({ method, headers: { 'if-match': '"x"', 'if-none-match': '*' } })
    expect([statusCode, body]).toEqual([200, '{}'])
  })
})
