/** The GraphQL API over fetch. */

/** @typedef {{ argument: string, message: string }} Problem why one argument is invalid; its path is like `input.name` */

/**
 * @template Data
 * @typedef {{ data?: Data | null, errors?: { message: string, extensions?: { code?: string, problems?: Problem[] } }[] }} ApiResponse
 */

/** The first error of a response. */
export class ApiError extends Error {
  /** @param {NonNullable<ApiResponse<unknown>['errors']>} errors */
  constructor([error]) {
    super(error?.message)
    this.code = error?.extensions?.code ?? ''
    this.problems = error?.extensions?.problems ?? []
  }
}

/**
 * @param {string} key
 * @param {object} operation a document and its variables
 * @param {{ accept?: string, signal?: AbortSignal }} [options]
 */
function send(key, operation, { accept = 'application/json', signal } = {}) {
  return fetch('graphql', {
    method: 'POST',
    body: JSON.stringify(operation),
    ...(signal && { signal }),
    headers: {
      'Content-Type': 'application/json',
      Accept: accept,
      Authorization: `Bearer ${key}`,
      // A read after an event must include the change.
      'Cache-Control': 'no-cache',
    },
  })
}

/**
 * @template Data
 * @param {Response} response
 * @returns {Promise<Data>}
 */
async function readData(response) {
  const { data, errors } = /** @type {ApiResponse<Data>} */ (await response.json())
  if (errors || !data) throw new ApiError(errors ?? [{ message: `The server answered ${response.status}.` }])
  return data
}

/**
 * Runs a query or a mutation.
 * @template Data
 * @param {string} key
 * @param {string} query
 * @param {object} variables
 * @returns {Promise<Data>} rejects with an ApiError, or a TypeError if the server cannot be reached
 */
export async function request(key, query, variables) {
  return readData(await send(key, { query, variables }))
}

/**
 * Subscribes by server-sent events; EventSource cannot send the key.
 * @template Data
 * @param {string} key
 * @param {string} query
 * @param {AbortSignal} signal ends it
 * @param {{ onStart: () => void, onData: (data: Data) => void }} listener
 * @returns {Promise<void>} settles when the stream ends
 */
export async function subscribe(key, query, signal, { onStart, onData }) {
  const response = await send(key, { query }, { accept: 'text/event-stream', signal })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream || !response.body) return readData(response)
  onStart()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const events = (text + read.value).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, json] = /^data: ?(\{.*)$/m.exec(event) ?? []
      if (json === undefined) continue
      const { data, errors } = /** @type {ApiResponse<Data>} */ (JSON.parse(json))
      if (errors) throw new ApiError(errors)
      if (data) onData(data)
    }
  }
}
