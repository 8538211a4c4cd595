/** Sends requests exactly as written: fetch would correct paths and headers that clauses are about. */
import http from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '../../src/base/operator-error.ts'
import type { Answer, PlainRequest } from './exchange.ts'

/** For a request and its whole answer. */
const TIMEOUT_MS = 15_000
/** The longest that a rate limit may ask to wait. */
const MAX_WAIT_SECONDS = 60
const MAX_TRIES = 5
/** Tells the operator who sends such requests. */
const USER_AGENT = { 'user-agent': 'petstore-verify' }

/** A request got no answer; the next one may get one. */
export class NoAnswerError extends OperatorError {}

/**
 * Creates a function that sends a request, and waits if a rate limit asks for it.
 * @param baseUrl ends in /v1
 * @throws NoAnswerError; OperatorError if a rate limit asks for too long a wait
 */
export function createSend(baseUrl: string): (request: PlainRequest) => Promise<Answer> {
  const url = new URL(baseUrl)
  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await sendOnce(url, request)
      // In seconds (RFC 9110, 10.2.3); a date is not understood.
      const delay = answer.headers['retry-after'] ?? ''
      if (answer.status !== 429 || !/^\d{1,9}$/.test(delay) || tries === MAX_TRIES) return answer
      const seconds = Number(delay)
      if (seconds > MAX_WAIT_SECONDS)
        throw new OperatorError(
          `${url.host} limits the rate of requests, and asks to wait ${seconds} seconds. Try again then, or raise its limits.`,
        )
      console.error(`${url.host} limits the rate of requests: waiting ${seconds} s`)
      await wait(seconds * 1000)
    }
  }
}

/** On a connection of its own, which no server closes at the moment when it is used again. */
async function sendOnce(url: URL, { method, path, headers, body }: PlainRequest): Promise<Answer> {
  const { request } = url.protocol === 'https:' ? https : http
  const options: http.RequestOptions = {
    agent: false,
    method,
    path: url.pathname.slice(0, -'/v1'.length) + path,
    headers: { ...USER_AGENT, ...headers },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request(url, options, resolve).on('error', reject).end(body)
    })
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
  } catch (error) {
    throw new NoAnswerError(`${url.host} does not answer: ${reasonOf(error, options.signal)}`)
  }
}

function reasonOf(error: unknown, signal: AbortSignal | undefined): string {
  // A timeout in the middle of an answer would look like a lost connection.
  if (signal?.aborted) return `it took more than ${TIMEOUT_MS / 1000} seconds`
  if (!(error instanceof Error)) return String(error)
  // The addresses of a name are tried in turn: an AggregateError, without a message.
  return error.message || ('code' in error ? String(error.code) : error.name)
}
