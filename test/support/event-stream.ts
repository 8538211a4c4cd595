/** The events of subscriptions as the GraphQL API sends them, one at a time. */
import { type IncomingMessage, request as httpRequest } from 'node:http'

/** What a client accepts who asks for server-sent events, or for Apollo's multipart protocol. */
export const STREAM_TYPES = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'] as const

export interface EventStream {
  /** Its headers have arrived: the subscription is active. */
  response: IncomingMessage
  /** The data of the next event; null when the server has completed the stream. */
  next(): Promise<unknown>
  /** Closes the connection, like a browser that is closed. */
  abort(): void
}

/** @param query the document, or the whole body */
export function subscribe(
  url: string,
  key: string,
  query: string | object,
  variables: object = {},
  accept = 'text/event-stream',
  others: Record<string, string> = {},
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...others,
      authorization: `Bearer ${key}`,
      accept,
      'content-type': 'application/json',
    }
    const request = httpRequest(`${url}/graphql`, { method: 'POST', agent: false, headers }, (response) => {
      const isMultipart = response.headers['content-type']?.startsWith('multipart/mixed')
      const events = isMultipart ? readParts(response) : readEvents(response)
      resolve({
        response,
        async next() {
          const { value, done } = await events.next()
          if (done) throw new Error('the connection was closed before the stream was complete')
          return value
        },
        abort: () => request.destroy(),
      })
    })
    request.on('error', reject)
    request.end(JSON.stringify(typeof query === 'string' ? { query, variables } : query))
  })
}

/** The data of each event, and null for the event that completes the stream. */
async function* readEvents(response: IncomingMessage): AsyncGenerator<unknown, undefined> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event, data = ''] = /^event: (\w+)\ndata: ?(.*)$/s.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (event === 'complete') yield null
      if (event === 'next') yield JSON.parse(data)
    }
  }
}

/** The same of Apollo's multipart protocol. A part is complete with the delimiter after it. */
async function* readParts(response: IncomingMessage): AsyncGenerator<unknown, undefined> {
  const delimiter = '\r\n--graphql'
  let text = ''
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    for (let end = text.indexOf(delimiter); end >= 0; end = text.indexOf(delimiter)) {
      const [, json] = /^\r\nContent-Type: application\/json\r\n\r\n(.*)$/s.exec(text.slice(0, end)) ?? []
      text = text.slice(end + delimiter.length)
      const part = JSON.parse(json ?? '{}') as { payload?: unknown }
      if (part.payload !== undefined) yield part.payload
    }
    if (text === '--\r\n') yield null
  }
}
