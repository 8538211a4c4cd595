/** Requests exactly as written: fetch would correct paths and headers that clauses are about. */
import http from 'node:http'
import https from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { describeNetworkError } from './describe-network-error.ts'
import type { Answer } from './judge.ts'
import type { PlainRequest } from './request.ts'
import { NoAnswerError } from './verify-error.ts'
import { OperatorError } from '../base/errors.ts'

/** Milliseconds for a request and its whole answer. */
const TIMEOUT = 15_000
/** The longest that a rate limit may ask to wait, in seconds. */
const MAX_WAIT = 60
const MAX_TRIES = 5
/** Bytes of a body. 100 pets whose names have 64 KiB, each byte of which is escaped, take 38 MiB. */
const MAX_BODY = 40 * 2 ** 20
/** Tells the operator who sends such requests. */
const USER_AGENT = { 'user-agent': 'petstore-verify' }

export interface HttpClient {
  /** @throws NoAnswerError; OperatorError if a rate limit asks for too long a wait */
  send: (request: PlainRequest) => Promise<Answer>
  close: () => void
}

/**
 * One connection at a time, kept open.
 * @param baseUrl ends in /v1
 * @param onWait is told why nothing happens
 */
export function createHttpClient(baseUrl: string, onWait: (reason: string) => void): HttpClient {
  const url = new URL(baseUrl)
  const { Agent, request } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const server = {
    protocol: url.protocol,
    // Node takes an IPv6 address without its brackets.
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    agent,
  }
  const prefix = url.pathname.slice(0, -'/v1'.length)

  function sendOnce({ method, path, headers, body }: PlainRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(TIMEOUT)
      // A timeout in the middle of an answer would look like a lost connection.
      const fail = (error: Error) => reject(signal.aborted ? (signal.reason as Error) : error)
      const options = {
        ...server,
        method,
        path: prefix + path,
        headers: { ...USER_AGENT, ...headers },
        signal,
      }
      const outgoing = request(options, (response) => {
        const chunks: Buffer[] = []
        let length = 0
        response.on('data', (chunk: Buffer) => {
          length += chunk.length
          if (length <= MAX_BODY) chunks.push(chunk)
          else response.destroy(new NoAnswerError(`${url.host} sends a body of more than 40 MiB.`))
        })
        response.on('error', fail)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      })
      outgoing.on('error', fail)
      outgoing.end(body)
    })
  }

  /** A server may close an idle connection at the moment when it is used again. */
  async function sendOnOpenConnection(request: PlainRequest): Promise<Answer> {
    try {
      return await sendOnce(request)
    } catch (error) {
      const isReset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
      if (isReset && request.method !== 'POST') return sendOnce(request)
      throw error
    }
  }

  return {
    async send(request) {
      for (let tries = 1; ; tries += 1) {
        const answer = await sendOnOpenConnection(request).catch((error: unknown) => {
          if (error instanceof NoAnswerError) throw error
          throw new NoAnswerError(describeNetworkError(error, url, TIMEOUT))
        })
        const seconds = parseDelay(answer.headers['retry-after'])
        if (answer.status !== 429 || seconds === null || tries === MAX_TRIES) return answer
        if (seconds > MAX_WAIT)
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

/** Retry-After in seconds (RFC 9110, 10.2.3); null if it is absent, a date, or invalid. */
function parseDelay(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null
}
