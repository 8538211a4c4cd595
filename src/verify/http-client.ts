/** Requests exactly as written: fetch would correct paths and headers that clauses are about. */
import http from 'node:http'
import https from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '../base/service-error.ts'
import type { Answer, PlainRequest } from './exchange.ts'
import { describeNetworkError } from './network-error.ts'

/** For a request and its whole answer. */
const TIMEOUT_MS = 15_000
/** The longest that a rate limit may ask to wait. */
const MAX_WAIT_SECONDS = 60
const MAX_TRIES = 5
/** 100 pets whose names have 64 KiB, each byte of which is escaped, take 38 MiB. */
const MAX_BODY_BYTES = 40 * 2 ** 20
/** Tells the operator who sends such requests. */
const USER_AGENT = { 'user-agent': 'petstore-verify' }

/** A request got no answer; the next one may get one. */
export class NoAnswerError extends OperatorError {}

/**
 * One connection at a time, kept open.
 * @param baseUrl ends in /v1
 * @param onWait is told why the client waits
 */
export function createHttpClient(baseUrl: string, onWait: (reason: string) => void) {
  const url = new URL(baseUrl)
  const { Agent } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    /** @throws NoAnswerError; OperatorError if a rate limit asks for too long a wait */
    send: async (request: PlainRequest): Promise<Answer> => {
      for (let tries = 1; ; tries += 1) {
        const answer = await sendOnOpenConnection(url, agent, request).catch((error: unknown) => {
          if (error instanceof NoAnswerError) throw error
          throw new NoAnswerError(describeNetworkError(error, url, TIMEOUT_MS))
        })
        // In seconds (RFC 9110, 10.2.3); a date is not understood.
        const delay = answer.headers['retry-after'] ?? ''
        if (answer.status !== 429 || !/^\d{1,9}$/.test(delay) || tries === MAX_TRIES) return answer
        const seconds = Number(delay)
        if (seconds > MAX_WAIT_SECONDS)
          throw new OperatorError(
            `${url.host} limits the rate of requests, and asks to wait ${seconds} seconds. Try again then, or raise its limits.`,
          )
        onWait(`${url.host} limits the rate of requests: waiting ${seconds} s`)
        await wait(seconds * 1000)
      }
    },
    close: () => agent.destroy(),
  }
}

/** A server may close an idle connection at the moment when it is used again. */
async function sendOnOpenConnection(url: URL, agent: http.Agent, request: PlainRequest): Promise<Answer> {
  try {
    return await sendOnce(url, agent, request)
  } catch (error) {
    const isReset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
    if (isReset && request.method !== 'POST') return sendOnce(url, agent, request)
    throw error
  }
}

async function sendOnce(url: URL, agent: http.Agent, request: PlainRequest): Promise<Answer> {
  const { method, path, headers, body } = request
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const options = {
    agent,
    method,
    path: url.pathname.slice(0, -'/v1'.length) + path,
    headers: { ...USER_AGENT, ...headers },
    signal,
  }
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      // Whether it uses TLS is up to the agent.
      http.request(url, options, resolve).on('error', reject).end(body)
    })
    const parts: AsyncIterable<Buffer> = response
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of parts) {
      length += chunk.length
      if (length > MAX_BODY_BYTES) throw new NoAnswerError(`${url.host} sends a body of more than 40 MiB.`)
      chunks.push(chunk)
    }
    const text = Buffer.concat(chunks).toString()
    return { status: response.statusCode ?? 0, headers: response.headers, text }
  } catch (error) {
    // A timeout in the middle of an answer would look like a lost connection.
    signal.throwIfAborted()
    throw error
  }
}
