import Fastify, { LogController } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createRequestId, registerRequestLog } from '../../../src/http/request-log.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const idOf = (sent?: string | string[]) =>
  createRequestId({ headers: sent === undefined ? {} : { 'x-request-id': sent } })

describe('the id of a request', () => {
  it.each(['a', 'A-1_b.c:d+e/f=', 'x'.repeat(128)])('is the one that the client sent: %j', (sent) => {
    expect(idOf(sent)).toBe(sent)
  })

  it.each<[string | string[] | undefined]>([
    [undefined],
    [''],
    ['x'.repeat(129)],
    ['a b'],
    ['a\n'],
    ['é'],
    ['a"'],
    [['a', 'b']],
  ])('is new instead of %j', (sent) => expect(idOf(sent)).toMatch(UUID))
})

it('a request is one log line, with its route and without its URL', async () => {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const logController = new LogController({ disableRequestLogging: true })
  const app = Fastify({ logger: { level: 'info', stream }, logController })
  app.decorateRequest('apiKey', null)
  registerRequestLog(app)
  app.get('/pets/:id', async (request, reply) => {
    request.apiKey = { name: 'client' }
    request.logDetails = { operation: 'getPet' }
    return reply.code(404).send({})
  })
  await app.inject('/pets/secret?key=secret')
  expect(lines).toHaveLength(1)
  const [{ method, route, status, key, operation, msg, ms } = {}] = lines
  expect({ method, route, status, key, operation, msg }).toEqual({
    ...{ method: 'GET', route: '/pets/:id', status: 404, key: 'client', operation: 'getPet', msg: 'request' },
  })
  expect(ms).toBeTypeOf('number')
  expect(JSON.stringify(lines)).not.toContain('secret')
})
