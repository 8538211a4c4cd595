/** Apollo's multipart protocol for subscriptions, and which clients may subscribe. */
import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin, processRegularResult } from 'graphql-yoga'
import { EVENT_STREAM, MULTIPART, notAcceptable, RESULT_TYPES } from './media-types.ts'

const TYPE = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0'

const DELIMITER = '\r\n--graphql'
const PART = '\r\nContent-Type: application/json\r\n\r\n'
/** Turns the preceding delimiter into the last one. */
const END = '--\r\n'
const EMPTY_PART = `${PART}{}${DELIMITER}`
/** Milliseconds between two empty parts, as between Yoga's server-sent pings. */
const PING_INTERVAL_MS = 12_000

interface Accepting {
  /** The media types that the client accepts. */
  accepted: readonly string[]
}

/**
 * Sends subscriptions by the multipart protocol to clients that accept it, and rejects those that accept no event stream, before
 * anything is subscribed.
 */
export function multipartSubscriptions(): Plugin<Accepting, Accepting> {
  return {
    onSubscribe({ args }) {
      const { accepted } = args.contextValue as Accepting
      if (!accepted.includes(MULTIPART) && !accepted.includes(EVENT_STREAM)) throw notAcceptable()
    },
    onResultProcess(event) {
      const { result, resultProcessor, serverContext } = event
      if (!serverContext.accepted.includes(MULTIPART) || Array.isArray(result)) return
      // The errors of a rejected subscription are plain JSON to a client that accepts it.
      if (!isAsyncIterable(result) && resultProcessor === processRegularResult) return
      event.setResultProcessor(async (masked, fetchAPI) => {
        if (isAsyncIterable(masked))
          return new Response(new ReadableStream(writeParts(masked)), { headers: { 'content-type': TYPE } })
        // One part, with Yoga's status, headers and text.
        const regular = processRegularResult(masked, fetchAPI, RESULT_TYPES[0])
        const headers = new Headers(regular.headers)
        headers.set('content-type', TYPE)
        return new Response(DELIMITER + writePart(await regular.text()) + END, {
          status: regular.status,
          headers,
        })
      }, TYPE)
    },
  }
}

/** A client reads a part when it has the delimiter after it, so that is sent at once, too. */
const writePart = (payload: string) => `${PART}{"payload":${payload}}${DELIMITER}`

function writeParts(results: AsyncIterable<ExecutionResult>): UnderlyingDefaultSource<Buffer> {
  const iterator = results[Symbol.asyncIterator]()
  let pings: NodeJS.Timeout
  return {
    start(controller) {
      controller.enqueue(Buffer.from(DELIMITER + EMPTY_PART))
      // To a subscriber with unread data, pings would only add to that.
      const ping = () => Number(controller.desiredSize) > 0 && controller.enqueue(Buffer.from(EMPTY_PART))
      pings = setInterval(ping, PING_INTERVAL_MS)
    },
    async pull(controller) {
      try {
        const next = await iterator.next()
        if (!next.done) {
          controller.enqueue(Buffer.from(writePart(JSON.stringify(next.value))))
          return
        }
      } catch (error) {
        clearInterval(pings)
        throw error
      }
      clearInterval(pings)
      controller.enqueue(Buffer.from(END))
      controller.close()
    },
    async cancel() {
      clearInterval(pings)
      await iterator.return?.()
    },
  }
}
