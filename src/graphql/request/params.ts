/** The parameters of a request (GraphQL over HTTP, 5). */
import { isJsonObject } from '../../base/json.ts'
import { ServiceError } from '../../base/service-error.ts'
import { throwIfTooMany } from './sent-values.ts'

/** As a client sends them, without those that are null. */
export interface Params {
  query?: string
  /** The id of a trusted document, in place of a query. */
  documentId?: string
  operationName?: string
  variables?: Record<string, unknown>
  extensions?: Record<string, unknown>
}

const TEXTS: readonly string[] = ['query', 'documentId', 'operationName'] satisfies (keyof Params)[]
const OBJECTS: readonly string[] = ['variables', 'extensions'] satisfies (keyof Params)[]
const PARAMETERS = `The parameters are ${TEXTS.join(', ')} (strings) and ${OBJECTS.join(', ')} (JSON objects).`

/** The parts of an HTTP request that are read. */
export interface HttpRequest {
  method: string
  url: string
  body?: string | undefined
}

/** @throws ServiceError INVALID_REQUEST */
export function readParams({ method, url, body }: HttpRequest): Params {
  const sent = Object.entries(method === 'POST' ? readBody(body) : readSearch(url))
  const params = Object.fromEntries(sent.filter(([, value]) => value != null))
  if (!areParams(params)) throw new ServiceError('INVALID_REQUEST', PARAMETERS)
  // Those of variables are counted with the document's errors (answer.ts).
  throwIfTooMany('extensions', params.extensions)
  return params
}

/** In a body, also a parameter that GraphQL over HTTP does not have is an error; in a URL, tools may add some of their own. */
function areParams(sent: Record<string, unknown>): sent is Record<string, unknown> & Params {
  return Object.entries(sent).every(([name, value]) =>
    TEXTS.includes(name) ? typeof value === 'string' : OBJECTS.includes(name) && isJsonObject(value),
  )
}

function readSearch(url: string): Record<string, unknown> {
  const search = new URLSearchParams(url.replace(/^[^?]*/, ''))
  // Forms send the parameters that are not used as empty.
  const read = (name: string) => search.get(name) || undefined
  const readJson = (name: string) => parse(read(name) ?? 'null', 'The parameters must be JSON.')
  return {
    query: read('query'),
    // An empty id names no document, which is another error than none at all.
    documentId: search.get('documentId'),
    operationName: read('operationName'),
    variables: readJson('variables'),
    extensions: readJson('extensions'),
  }
}

function readBody(body: string | undefined): Record<string, unknown> {
  // Without a Content-Type, the body is not parsed.
  if (body === undefined) throw new ServiceError('UNSUPPORTED_MEDIA_TYPE')
  const message = 'The body must be a JSON object like {"query": "…"}. Batches are not supported.'
  const params = parse(body, message)
  if (!isJsonObject(params)) throw new ServiceError('INVALID_REQUEST', message)
  return params
}

function parse(text: string, message: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ServiceError('INVALID_REQUEST', message)
  }
}
