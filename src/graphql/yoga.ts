/**
 * The part of Yoga that makes responses. It knows the rules of GraphQL over HTTP: the status, the headers and the form that each media type
 * demands. It parses and executes nothing: it gets the results of answer.ts.
 */
import type { ExecutionResult } from 'graphql'
import { createYoga, type Plugin, processRegularResult } from 'graphql-yoga'
import { GRAPHQL_PATH } from '../http/known-paths.ts'
import { MULTIPART_EVENTS, writeMultipart } from './live/event-streams.ts'
import { MULTIPART, RESULT_TYPES } from './request/media-types.ts'

/** What Yoga receives with a request. */
interface ServerContext {
  result: ExecutionResult
  /** The media types that the client accepts, best first. */
  accepted: readonly string[]
}

/** The same URL for all requests: a Host header need not be valid in a URL, and a client may write the path in several ways. */
const URL_OF_ALL = `http://localhost${GRAPHQL_PATH}`

/** @returns makes the response to a request, whose errors have their status and headers in `extensions.http` */
export function createYogaFormat() {
  const yoga = createYoga<ServerContext>({
    logging: false,
    // Fastify does this.
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    // They are masked already.
    maskedErrors: false,
    // Node's own class, whose headers are in lower case.
    fetchAPI: { Response },
    plugins: [sendResult(), sendMultipart()],
  })
  return async (result: ExecutionResult, accepted: readonly string[]): Promise<Response> =>
    yoga.fetch(URL_OF_ALL, { headers: { accept: accepted.join() } }, { result, accepted })
}

function sendResult(): Plugin<ServerContext, ServerContext> {
  return {
    onRequestParse: ({ setRequestParser }) => setRequestParser(() => ({ query: '' })),
    onParams: ({ context, setResult }) => setResult(context.result),
  }
}

/** Sends a result by Apollo's multipart protocol to clients that accept nothing else. */
function sendMultipart(): Plugin<ServerContext, ServerContext> {
  return {
    onResultProcess(event) {
      const { resultProcessor, serverContext } = event
      if (!serverContext.accepted.includes(MULTIPART) || resultProcessor === processRegularResult) return
      event.setResultProcessor(async (_, fetchAPI) => {
        // With Yoga's status, headers and text.
        const regular = processRegularResult(serverContext.result, fetchAPI, RESULT_TYPES[0])
        const headers = new Headers(regular.headers)
        headers.set('content-type', MULTIPART_EVENTS.contentType)
        const { status } = regular
        return new fetchAPI.Response(writeMultipart(await regular.text()), { status, headers })
      }, MULTIPART_EVENTS.contentType)
    },
  }
}
