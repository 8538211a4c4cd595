/** The GraphQL API over fetch. */
import { browserFetch } from './watch-fetch.js'

/** @typedef {{ argument: string, message: string }} Problem why one argument is invalid; its path is like `input.name` */

/**
 * @template Data
 * @typedef {{ data?: Data | null, errors?: { message: string, extensions?: { code?: string, problems?: Problem[] } }[] }} ApiResponse
 */

/** Why a request has failed, in a sentence for the user. Any other error is a fault of the page. */
export class RequestError extends Error {}

/** Nothing has answered, or not as this server does; it may have done what it was asked for. */
class NoResponseError extends RequestError {
  /** @param {unknown} cause */
  constructor(cause) {
    super('The server cannot be reached.', { cause })
  }
}

/** The first error of a response. */
export class ApiError extends RequestError {
  /** @param {NonNullable<ApiResponse<unknown>['errors']>} errors */
  constructor([error]) {
    super(error?.message)
    this.code = error?.extensions?.code ?? ''
    this.problems = error?.extensions?.problems ?? []
  }
}

/** Milliseconds without a byte after which a connection counts as lost: an answer takes 20 s at most, and a ping comes every 12 s. */
const MAX_SILENCE_MS = 30_000

/**
 * Waits for something that only the network, or what answers in place of the server, can make fail.
 * @template Value
 * @param {Promise<Value>} received
 * @returns {Promise<Value>} rejects with a NoResponseError
 */
function receive(received) {
  return received.catch((/** @type {unknown} */ error) => {
    throw new NoResponseError(error)
  })
}

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
  return receive(browserFetch('graphql', { method: 'POST', body, signal, headers }))
}

/**
 * @template Data
 * @param {Response} response
 * @returns {Promise<Data>}
 */
async function readData(response) {
  const { data, errors } = /** @type {ApiResponse<Data>} */ (await receive(response.json()))
  if (errors || !data) throw new ApiError(errors ?? [{ message: `The server answered ${response.status}.` }])
  return data
}

/**
 * Runs a query or a mutation.
 * @template Data
 * @param {string} key
 * @param {string} query
 * @param {object} variables
 * @param {AbortSignal} [signal] gives it up
 * @returns {Promise<Data>} rejects with a RequestError, also if it has been given up
 */
export async function request(key, query, variables, signal) {
  const silence = AbortSignal.timeout(MAX_SILENCE_MS)
  const ended = signal ? AbortSignal.any([signal, silence]) : silence
  return readData(await send(key, { query, variables }, ended))
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
 * @param {string} query
 * @param {AbortSignal} signal ends it
 * @param {{ onStart: () => void, onData: (data: Data) => void }} listener
 * @returns {Promise<void>} settles when the stream ends, or has been silent for too long; rejects with a RequestError, or what a listener throws
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
      await readData(response)
      return
    }
    onStart()
    /** @type {AsyncGenerator<ApiResponse<Data>>} */
    const results = readEvents(response.body, onBytes)
    for await (const { data, errors } of results) {
      if (errors) throw new ApiError(errors)
      if (data) onData(data)
    }
  } finally {
    clearTimeout(silence)
    // Also after an error or a fault: the browser has only six connections.
    end.abort()
  }
}

/**
 * The results in an event stream.
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
