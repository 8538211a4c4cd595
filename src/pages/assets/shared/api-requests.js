/** The GraphQL API over fetch. */
import { isErrorCode, meaningOf } from './error-meanings.js'
import { browserFetch } from './watch-fetch.js'

/**
 * The text of an operation, with the types of its data and its variables, which only the type checker sees.
 * @template Data
 * @template Variables
 * @typedef {string & { data?: Data, variables?: Variables }} Operation
 */
/** @typedef {import('../../../base/error-catalogue.ts').ErrorCode} ErrorCode */
/** @typedef {import('../../../base/error-catalogue.ts').Problem} Problem */

/**
 * The body of a response of the GraphQL API. All of it is optional, since something may answer in place of the server.
 * @template Data
 * @typedef {{ data?: Data | null, errors?: GraphqlError[] }} ApiResponse
 */
/** @typedef {{ message: string, extensions?: { code?: ErrorCode, problems?: Problem[] } }} GraphqlError */
/**
 * The body of an error of the REST API, and of each error that comes before the server knows the path.
 * @typedef {{ code?: string, message?: string }} RestError
 */

/** Why a request has failed, in a sentence for the user. Any other error is a fault of the page. */
export class RequestError extends Error {
  /**
   * @param {string} message
   * @param {ErrorCode | null} code of the server's error; null: nothing has answered, or not as this server does
   * @param {Problem[]} [problems] why arguments are invalid
   * @param {ErrorOptions} [options]
   */
  constructor(message, code, problems = [], options = {}) {
    super(message, options)
    this.code = code
    this.meaning = meaningOf(code)
    this.problems = problems
  }

  /** Whether the server may have done what it was asked for. */
  get isUncertain() {
    return this.meaning === 'no answer' || this.meaning === 'uncertain'
  }

  /** Whether the same request may succeed in a moment. */
  get isTemporary() {
    return this.isUncertain || this.meaning === 'busy' || this.meaning === 'limited'
  }

  /** Whether another key is needed. */
  get isRejection() {
    return this.meaning === 'wrong key' || this.meaning === 'read-only key'
  }
}

/** @param {unknown} cause an error, or the body of a response that is not of this server */
const createNoAnswer = (cause) => new RequestError('The server cannot be reached.', null, [], { cause })

/** Milliseconds without a byte after which a connection counts as lost: an answer takes 20 s at most, and a ping comes every 12 s. */
export const MAX_SILENCE_MS = 30_000

/**
 * Waits for something that only the network, or what answers in place of the server, can make fail.
 * @template Value
 * @param {Promise<Value>} received
 * @returns {Promise<Value>} rejects with a RequestError
 */
function receive(received) {
  return received.catch((/** @type {unknown} */ error) => {
    throw createNoAnswer(error)
  })
}

/** Relative to each page, for a proxy that adds a prefix; GRAPHQL_PATH in http/known-paths.ts. */
const GRAPHQL_ADDRESS = 'graphql'

/**
 * @param {string} key
 * @param {object} operation a document and its variables
 * @param {AbortSignal} signal gives it up
 * @param {string} [accept]
 */
function send(key, operation, signal, accept = 'application/json') {
  const headers = {
    'Content-Type': 'application/json',
    Accept: accept,
    Authorization: `Bearer ${key}`,
    // A read after an event must include the change.
    'Cache-Control': 'no-cache',
  }
  const body = JSON.stringify(operation)
  return receive(browserFetch(GRAPHQL_ADDRESS, { method: 'POST', body, signal, headers }))
}

/**
 * The error in a response, of several the first.
 * @param {unknown} body of a response of either API, as JSON
 * @returns {RequestError | null} null: there is none, or none of this server
 */
export function readError(body) {
  const response = /** @type {(ApiResponse<unknown> & RestError) | null} */ (body)
  const { message = '', extensions } = response?.errors?.[0] ?? {}
  if (extensions?.code !== undefined) return new RequestError(message, extensions.code, extensions.problems)
  const { code, message: text = '' } = response ?? {}
  // Errors of gateways look alike, with codes of their own.
  return code !== undefined && isErrorCode(code) ? new RequestError(text, code) : null
}

/**
 * @template Data
 * @param {ApiResponse<Data> | null} response
 * @returns {Data}
 * @throws {RequestError}
 */
function readData(response) {
  const { data, errors } = response ?? {}
  if (data && !errors) return data
  throw readError(response) ?? createNoAnswer(response)
}

/**
 * @template Data
 * @param {Response} response
 * @returns {Promise<Data>} rejects with a RequestError
 */
async function readBody(response) {
  /** @type {ApiResponse<Data> | null} */
  const body = await receive(response.json())
  return readData(body)
}

/**
 * Runs a query or a mutation.
 * @template Data
 * @template {object} Variables
 * @param {string} key
 * @param {Operation<Data, Variables>} query
 * @param {Variables} variables
 * @param {AbortSignal} [signal] gives it up
 * @returns {Promise<Data>} rejects with a RequestError, also if it has been given up
 */
export async function request(key, query, variables, signal) {
  const silence = AbortSignal.timeout(MAX_SILENCE_MS)
  const ended = signal ? AbortSignal.any([signal, silence]) : silence
  return readBody(await send(key, { query, variables }, ended))
}

/**
 * Why a request has failed.
 * @param {Promise<unknown>} response
 * @returns {Promise<RequestError | undefined>} undefined: it has not; rejects with any other error
 */
export async function failureOf(response) {
  try {
    await response
    return undefined
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
}

/**
 * Subscribes by server-sent events; EventSource cannot send the key.
 * @template Data
 * @param {string} key
 * @param {Operation<Data, object>} query
 * @param {AbortSignal} signal ends it
 * @param {{ onStart: () => void, onData: (data: Data) => void }} listener
 * @returns {Promise<void>} settles when the stream ends, or has been silent for too long; rejects with a RequestError, or with what a
 * listener throws
 */
export async function subscribe(key, query, signal, { onStart, onData }) {
  /** Closes the connection. */
  const end = new AbortController()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let silence
  const onBytes = () => {
    clearTimeout(silence)
    silence = setTimeout(() => end.abort(), MAX_SILENCE_MS)
  }
  onBytes()
  try {
    const response = await send(key, { query }, AbortSignal.any([signal, end.signal]), 'text/event-stream')
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !response.body) {
      await readBody(response)
      return
    }
    onStart()
    /** @type {AsyncGenerator<ApiResponse<Data>>} */
    const responses = readEvents(response.body, onBytes)
    for await (const event of responses) onData(readData(event))
  } finally {
    clearTimeout(silence)
    // Also after an error or a fault: the browser has only six connections.
    end.abort()
  }
}

/**
 * The responses in an event stream.
 * @template Data
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @param {() => void} onBytes called whenever bytes arrive
 * @returns {AsyncGenerator<ApiResponse<Data>>}
 */
async function* readEvents(body, onBytes) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const read = await receive(reader.read())
    if (read.done) return
    onBytes()
    const events = (text + read.value).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      // Not by a pattern: U+2028, which may be in a name, would end its line.
      const data = event.split('\n').find((line) => line.startsWith('data: {'))
      if (data !== undefined) yield /** @type {ApiResponse<Data>} */ (JSON.parse(data.slice('data: '.length)))
    }
  }
}
