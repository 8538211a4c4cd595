import Fastify, { LogController } from 'fastify'
import { expect, it } from 'vitest'
import { ApiKey } from '../../../src/keys/api-key.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { outcomeOf } from '../../../src/http/request-outcome.ts'
import { registerRequestTelemetry } from '../../../src/http/request-telemetry.ts'
import { KEY, listen } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

it('a request is one log line, with its route and without its URL', async () => {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const logController = new LogController({ disableRequestLogging: true })
  const app = Fastify({ logger: { level: 'info', stream }, logController })
  app.decorateRequest('apiKey', null)
  registerRequestTelemetry(app, null)
  app.get('/pets/:id', async (request, reply) => {
    request.apiKey = new ApiKey('client', 'write')
    const outcome = outcomeOf(request)
    outcome.operation = 'Pet'
    outcome.errorCodes = ['PET_NOT_FOUND', 'PET_NOT_FOUND']
    return reply.code(404).send({})
  })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-00` }
  await app.inject({ url: '/pets/secret?key=secret', headers, remoteAddress: '192.0.2.1' })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({
    ...{ method: 'GET', route: '/pets/:id', operation: 'Pet', status: 404, codes: ['PET_NOT_FOUND'] },
    ...{ key: 'client', address: '192.0.2.1', traceId, msg: 'request' },
  })
  expect(lines[0]?.ms).toBeTypeOf('number')
  expect(JSON.stringify(lines)).not.toContain('secret')
})

it('a request that failed is one line, a warning, with the cause', async () => {
  const lines: Record<string, unknown>[] = []
  const database = createFakeDatabase(() => {
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '57P01' })
  })
  const { url } = await listen(database, { LOG_LEVEL: 'info' }, (line) => lines.push(line))
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const query = '{ a: pet(id: "1") { id } b: pet(id: "1000000") { id } pets { totalCount } }'
  await fetch(new URL('/v1/pets', url), { headers })
  await fetch(new URL('/readyz', url))
  for (let time = 0; time < 3; time += 1)
    await fetch(new URL('/graphql', url), { method: 'POST', headers, body: JSON.stringify({ query }) })
  expect(lines.filter(({ msg }) => msg !== 'request').map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^Server listening/),
  ])
  const warning = { level: 40, status: 503, codes: ['DATABASE_UNAVAILABLE'], cause: '57P01' }
  const requests = () => lines.filter(({ msg }) => msg === 'request')
  // A line may come just after the answer.
  await eventually(() => expect(requests()).toMatchObject(Array.from({ length: 5 }, () => warning)))
})
