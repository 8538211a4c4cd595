import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyRequest } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { sendError } from '../../../src/http/error-body.ts'
import { registerJsonBodies } from '../../../src/http/request-body.ts'
import { registerRequestMemory } from '../../../src/http/memory-hooks.ts'
import { ApiKey } from '../../../src/keys/api-key.ts'
import { eventually } from '../../support/eventually.ts'

const MAX = 64 * 2 ** 10

/** @param wait what an earlier hook waits for */
async function start(wait?: (request: FastifyRequest) => Promise<unknown>) {
  const app = Fastify()
  const budget = new MemoryBudget()
  app.removeAllContentTypeParsers()
  app.setErrorHandler(sendError)
  app.decorateRequest('apiKey', null)
  app.addHook('onRequest', async (request) => {
    request.apiKey = new ApiKey('client', 'write')
    await wait?.(request)
  })
  const errors: Error[] = []
  app.addHook('onError', async (_request, _reply, error) => void errors.push(error))
  registerRequestMemory(app, budget)
  registerJsonBodies(app, String)
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
  app.post('/', async ({ body }) => {
    await answered
    return body
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const send = (headers: Record<string, string | number> = {}) =>
    request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    })
  return { budget, errors, send, answer: () => answer(undefined) }
}

async function readAnswer(sent: ClientRequest): Promise<{ status: number | undefined; text: string }> {
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }]
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode, text }
}

describe('a body', () => {
  it.each([
    ['of one piece', 5, [5]],
    ['of bytes', 100, Array(100).fill(1)],
    ['of the largest size', MAX, [1, 1_000, MAX - 1_001]],
    ['in chunks', undefined, [3, 1, 4, 1, 5_000]],
  ])('is read whole: %s', async (_, length, pieces: number[]) => {
    const { send, answer } = await start()
    answer()
    const sent = send(length === undefined ? {} : { 'content-length': length })
    const body = pieces.map((size, index) => String(index % 10).repeat(size))
    for (const piece of body) sent.write(piece)
    sent.end()
    expect(await readAnswer(sent)).toEqual({ status: 200, text: body.join('') })
  })

  it.each([
    ['by its length', { 'content-length': MAX + 1 }],
    ['in chunks', {}],
  ])('of more than 64 kB is rejected, %s', async (_, headers) => {
    const { send } = await start()
    const sent = send(headers)
    sent.on('error', () => undefined).end('x'.repeat(MAX + 1))
    const { status, text } = await readAnswer(sent)
    expect([status, text]).toEqual([413, expect.stringContaining('PAYLOAD_TOO_LARGE')])
  })

  it('that is not complete is counted, twice its buffer, until the client leaves', async () => {
    const { send, budget } = await start()
    const sent = send({ 'content-length': 10_000 })
    sent.on('error', () => undefined)
    sent.write('x'.repeat(100))
    await eventually(() => expect(budget.held).toBe(200))
    sent.write('x')
    await eventually(() => expect(budget.held).toBe(400))
    sent.destroy()
    await eventually(() => expect(budget.held).toBe(0))
  })

  it('is counted until its answer has been sent', async () => {
    const { send, budget, answer } = await start()
    const sent = send()
    sent.end('x'.repeat(40_000))
    await eventually(() => expect(budget.held).toBe(80_000))
    answer()
    await readAnswer(sent)
    await eventually(() => expect(budget.held).toBe(0))
  })

  it('is an error if the client has left before it is read', async () => {
    const { send, errors } = await start(async ({ raw }) => {
      sent.destroy()
      await new Promise((resolve) => raw.once('close', resolve))
    })
    const sent = send({ 'content-length': 10 })
    sent.on('error', () => undefined).write('x')
    await eventually(() => expect(errors).toMatchObject([{ code: 'INVALID_REQUEST' }]))
  })

  it('is refused if its key has no memory left', async () => {
    const { send, budget } = await start()
    budget.acquire('client', 32 * 2 ** 20)
    const sent = send({ 'content-length': 10 })
    sent.write('x')
    expect(await readAnswer(sent)).toMatchObject({
      status: 503,
      text: expect.stringContaining('OVERLOADED') as string,
    })
    sent.destroy()
  })
})
