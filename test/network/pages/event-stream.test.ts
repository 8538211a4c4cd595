/** What the scripts of pages do with a stream of events, over a real connection. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listenOnLoopback } from '../../support/free-port.ts'

/** Of src/pages/assets/shared/api-requests.js, which is checked with the types of a browser. */
interface GraphqlScript {
  subscribe(
    key: string,
    query: string,
    signal: AbortSignal,
    listener: { onStart: () => void; onData: (data: unknown) => void },
  ): Promise<void>
}

let script: GraphqlScript
/** Streams that do not end by themselves. */
const streams: ServerResponse[] = []
const server = createServer((_, response) => {
  streams.push(response)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('event: next\ndata: {"data":{}}\n\n')
})

beforeAll(async () => {
  const port = await listenOnLoopback(server)
  vi.stubGlobal('window', {
    fetch: (path: string, options: RequestInit) => fetch(`http://127.0.0.1:${port}/${path}`, options),
  })
  const file = new URL('../../../src/pages/assets/shared/api-requests.js', import.meta.url).href
  script = (await import(file)) as GraphqlScript
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
})

it.each(['onStart', 'onData'])('a page closes the stream when its %s throws', async (name) => {
  const listener = { onStart: () => undefined, onData: () => undefined }
  const fault = () => {
    throw new Error('A fault of the page')
  }
  const ended = script.subscribe('key', 'subscription { a }', new AbortController().signal, {
    ...listener,
    [name]: fault,
  })
  await expect(ended).rejects.toThrow('A fault of the page')
  const stream = streams.at(-1)
  if (!stream?.closed) await once(stream ?? server, 'close')
})
