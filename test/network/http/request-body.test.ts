import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyRequest } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendError } from '../../../src/http/error-body.ts'
import { registerJsonBodies } from '../../../src/http/request-body.ts'
import { eventually } from '../../support/eventually.ts'

const MAX = 64 * 2 ** 10

/** @param wait what an earlier hook waits for */
async function start(wait?: (request: FastifyRequest) => Promise<unknown>) {
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.setErrorHandler(sendError)
  app.addHook('onRequest', async (request) => {
    await wait?.(request)
  })
  const errors: Error[] = []
  app.addHook('onError', async (_request, _reply, error) => void errors.push(error))
  registerJsonBodies(app, String)
  app.post('/', async ({ body }) => body)
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
  return { errors, send }
}

async function readAnswer(outgoing: ClientRequest): Promise<{ status: number | undefined; text: string }> {
  const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }]
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
  ])('is read completely: %s', async (_, length, pieces: number[]) => {
    const { send } = await start()
    const outgoing = send(length === undefined ? {} : { 'content-length': length })
    const body = pieces.map((size, index) => String(index % 10).repeat(size))
    for (const piece of body) outgoing.write(piece)
    outgoing.end()
    expect(await readAnswer(outgoing)).toEqual({ status: 200, text: body.join('') })
  })

  it.each([
    ['by its length', { 'content-length': MAX + 1 }],
    ['in chunks', {}],
  ])('of more than 64 kB is rejected, %s', async (_, headers) => {
    const { send } = await start()
    const outgoing = send(headers)
    outgoing.on('error', () => undefined).end('x'.repeat(MAX + 1))
    const { status, text } = await readAnswer(outgoing)
    expect([status, text]).toEqual([413, expect.stringContaining('PAYLOAD_TOO_LARGE')])
  })

  it('is an error if the client has disconnected before it is read', async () => {
    const { send, errors } = await start(async ({ raw }) => {
      outgoing.destroy()
      await new Promise((resolve) => raw.once('close', resolve))
    })
    const outgoing = send({ 'content-length': 10 })
    outgoing.on('error', () => undefined).write('x')
    await eventually(() => expect(errors).toMatchObject([{ code: 'INVALID_REQUEST' }]))
  })
})
