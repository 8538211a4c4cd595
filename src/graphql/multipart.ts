/** Apollo's multipart protocol for subscriptions, and which clients may subscribe. */
import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin, processRegularResult } from 'graphql-yoga'
import { EVENT_STREAM, MULTIPART, notAcceptable } from './media-types.ts'

const TYPE = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0'

const DELIMITER = '\r\n--graphql'
const PART = '\r\nContent-Type: application/json\r\n\r\n'
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
      event.setResultProcessor((masked, { ReadableStream, Response }) => {
        const results = isAsyncIterable(masked) ? masked : only(masked as Result)
        const { status, headers } = describeErrors(masked)
        const body = new ReadableStream(writeParts(results))
        return new Response(body, { status, headers: { ...headers, 'content-type': TYPE } })
      }, TYPE)
    },
  }
}

/** What the errors of a result do to its answer, as in Yoga's server-sent events. */
function describeErrors(result: object) {
  const errors = 'errors' in result ? (result as ExecutionResult).errors : undefined
  const https = (errors ?? []).flatMap(({ extensions: { http } }) => (http && !http.spec ? http : []))
  return {
    status: Math.max(200, ...https.map(({ status = 200 }) => status)),
    headers: Object.assign({}, ...https.map(({ headers }) => headers)) as Record<string, string>,
  }
}

async function* only<Result>(result: Result): AsyncGenerator<Result, void> {
  yield await Promise.resolve(result)
}

type Result = ExecutionResult & { stringify?: (result: ExecutionResult) => string }

/** A client reads a part when it has the delimiter after it, so that is sent at once, too. */
function writeParts(results: AsyncIterable<Result>): UnderlyingDefaultSource<Buffer> {
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
      const next = await iterator.next()
      if (!next.done) {
        const { stringify = JSON.stringify } = next.value
        controller.enqueue(Buffer.from(`${PART}{"payload":${stringify(next.value)}}${DELIMITER}`))
        return
      }
      clearInterval(pings)
      controller.enqueue(Buffer.from('--\r\n'))
      controller.close()
    },
    async cancel() {
      clearInterval(pings)
      await iterator.return?.()
    },
  }
}
