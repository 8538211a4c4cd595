import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { catalogue, type ErrorCode, ServiceError } from '../../../src/base/service-error.ts'
import { sendError } from '../../../src/http/error-body.ts'

/** The answer to a request whose handler throws, and the lines that were logged as errors. */
async function answer(error: unknown) {
  const logged: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) }
  const app = Fastify({ logger: { level: 'error', stream } })
  app.setErrorHandler(sendError)
  app.get('/', () => {
    throw error
  })
  const response = await app.inject('/')
  await app.close()
  return { response, logged }
}

it.each(Object.keys(catalogue) as ErrorCode[])('the catalogue says how %s is answered', async (code) => {
  const { response, logged } = await answer(new ServiceError(code))
  const { status, message } = catalogue[code]
  expect(response.statusCode).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.json()).toEqual({ code, message, status })
  expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined)
  expect(response.headers.accept).toBe(status === 415 ? 'application/json' : undefined)
  expect(logged).toEqual([])
})

it.each<[string, unknown]>([
  ['an unexpected error', new Error('secret')],
  ['an error with a status of 500', Object.assign(new Error('secret'), { statusCode: 500 })],
  ['an error with a status below 400', Object.assign(new Error('secret'), { statusCode: 399 })],
  ['an error with a status that is not a number', Object.assign(new Error('secret'), { statusCode: '404' })],
])('%s becomes INTERNAL, and is logged', async (_, error) => {
  const { response, logged } = await answer(error)
  expect(response.statusCode).toBe(500)
  expect(response.body).not.toContain('secret')
  expect(logged).toMatchObject([{ msg: 'a request failed', err: { message: 'secret' } }])
})

it.each<[number, ErrorCode]>([
  [400, 'INVALID_REQUEST'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [406, 'NOT_ACCEPTABLE'],
  [408, 'REQUEST_TIMEOUT'],
  [413, 'PAYLOAD_TOO_LARGE'],
  [414, 'URI_TOO_LONG'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
  [499, 'INVALID_REQUEST'],
])(
  'an error of Fastify with the status %d is answered as %s, without its message',
  async (statusCode, code) => {
    const { response, logged } = await answer(Object.assign(new Error('secret'), { statusCode }))
    const { status, message } = catalogue[code]
    expect(response.json()).toEqual({ code, message, status })
    expect([response.statusCode, logged]).toEqual([status, []])
  },
)
