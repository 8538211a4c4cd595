import Fastify from 'fastify'
import { expect, it } from 'vitest'
import type { Observation } from '../../../src/base/observation.ts'
import { catalogue, type ErrorCode } from '../../../src/base/error-catalogue.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { sendError } from '../../../src/http/error-body.ts'

/** The answer to a request whose handler throws, and what was observed. */
async function answer(error: unknown) {
  const observed: Observation[] = []
  const app = Fastify()
  app.decorate('observe', (observation: Observation) => void observed.push(observation))
  app.setErrorHandler(sendError)
  app.get('/', () => {
    throw error
  })
  const response = await app.inject('/')
  await app.close()
  return { response, observed }
}

it.each(Object.keys(catalogue) as ErrorCode[])('the catalogue says how %s is answered', async (code) => {
  const { response, observed } = await answer(new ServiceError(code))
  const { status, message } = catalogue[code]
  expect(response.statusCode).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.json()).toEqual({ code, message, status })
  expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined)
  expect(response.headers.accept).toBe(status === 415 ? 'application/json' : undefined)
  expect(observed).toEqual([])
})

it.each<[string, unknown]>([
  ['an unexpected error', new Error('secret')],
  ['an error with a status of 500', Object.assign(new Error('secret'), { statusCode: 500 })],
  ['an error with a status below 400', Object.assign(new Error('secret'), { statusCode: 399 })],
  ['an error with a status that is not a number', Object.assign(new Error('secret'), { statusCode: '404' })],
])('%s becomes INTERNAL, and is observed', async (_, error) => {
  const { response, observed } = await answer(error)
  expect(response.statusCode).toBe(500)
  expect(response.body).not.toContain('secret')
  expect(observed).toEqual([{ type: 'request failed', requestId: 'req-1', part: 'handler', error }])
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
    const { response, observed } = await answer(Object.assign(new Error('secret'), { statusCode }))
    const { status, message } = catalogue[code]
    expect(response.json()).toEqual({ code, message, status })
    expect([response.statusCode, observed]).toEqual([status, []])
  },
)
