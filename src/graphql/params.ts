import { isRounded } from '../base/int64.ts'
import { isJsonObject, MAX_VALUES } from '../base/json.ts'
import { ServiceError } from '../base/service-error.ts'

/** The parameters of a request as the client sent them (GraphQL over HTTP, 5). Yoga checks the types of those that it executes. */
export type Params = Readonly<Record<string, unknown>>

/** What is read of a request over HTTP. */
interface GraphqlRequest {
  method: string
  url: string
  body?: string | undefined
}

/** @throws ServiceError */
export function readParams({ method, url, body }: GraphqlRequest): Params {
  if (method === 'POST') return readBody(body)
  const search = new URLSearchParams(url.replace(/^[^?]*/, ''))
  const read = (name: string) => search.get(name) || undefined
  const readJson = (name: string) => parse(read(name) ?? 'null', 'The parameters must be JSON.')
  return {
    query: read('query'),
    documentId: search.get('documentId'),
    operationName: read('operationName'),
    variables: readJson('variables'),
    extensions: readJson('extensions'),
  }
}

function readBody(body: string | undefined): Params {
  // Without a Content-Type, there is none.
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

const NAMES = new Set(['query', 'documentId', 'operationName', 'variables', 'extensions'])

/** @returns null for parameters that Yoga would reject: it says why */
export function readVariables(params: Params): Record<string, unknown> | null {
  const variables = params.variables ?? {}
  const isKnown = Object.keys(params).every((name) => NAMES.has(name))
  return isKnown && isJsonObject(params.extensions ?? {}) && isJsonObject(variables) ? variables : null
}

/**
 * Checks what is in the variables and the extensions, even if no document declares it.
 * @throws ServiceError INVALID_REQUEST if that is too much; INVALID_VALUE, naming it, if it is a number beyond 2^53-1: JSON.parse has
 *   rounded it, so as an ID it would name a different item
 */
export function checkValues({ variables, extensions }: Params): void {
  if (extensions) listValues('extensions', extensions)
  const rounded = listValues('variables', variables).find(({ value }) => isRounded(value))
  if (!rounded) return
  const path = pathOf(rounded)
  const message = `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
  const argument = path.replace(/^variables\./, '')
  throw new ServiceError('INVALID_VALUE', message, { problems: [{ argument, message }] })
}

/** A value in a parameter, and where it is. */
interface Place {
  key: string
  value: unknown
  parent: Place | null
}

/** A parameter, and all values in it. @throws ServiceError INVALID_REQUEST */
function listValues(name: string, parameter: unknown): Place[] {
  const places: Place[] = [{ key: name, value: parameter, parent: null }]
  // The list grows meanwhile.
  for (const place of places) {
    if (typeof place.value !== 'object' || place.value === null) continue
    for (const [key, value] of Object.entries(place.value)) places.push({ key, value, parent: place })
    if (places.length <= MAX_VALUES + 1) continue
    throw new ServiceError(
      'INVALID_REQUEST',
      `The ${name} have more than ${MAX_VALUES} values, which is the limit.`,
    )
  }
  return places
}

/** No further key is added to 200 characters. */
function pathOf(place: Place | null): string {
  const keys: string[] = []
  for (; place; place = place.parent) keys.push(place.key)
  return keys.reduceRight((path, key) => (path.length < 200 ? `${path}.${key}` : path))
}
