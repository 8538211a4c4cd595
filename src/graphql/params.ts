/** The parameters of a request (GraphQL over HTTP, 5). What is wrong with them is found here, before anything is executed. */
import { isRounded } from '../base/int64.ts'
import { isJsonObject, MAX_VALUES } from '../base/json.ts'
import { MAX_PROBLEMS, ServiceError } from '../base/service-error.ts'

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
  const entries = Object.entries(method === 'POST' ? readBody(body) : readSearch(url))
  const params = Object.fromEntries(entries.filter(([, value]) => value != null))
  for (const [name, value] of Object.entries(params)) {
    const isValid = TEXTS.includes(name)
      ? typeof value === 'string'
      : OBJECTS.includes(name) && isJsonObject(value)
    if (!isValid) throw new ServiceError('INVALID_REQUEST', PARAMETERS)
  }
  listValues('extensions', params.extensions)
  return params
}

function readSearch(url: string): Record<string, unknown> {
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

/** A value in a parameter, and the path to it. */
interface ValuePath {
  key: string
  value: unknown
  parent: ValuePath | null
}

/** A parameter, and all values in it, even if no document declares them. @throws ServiceError INVALID_REQUEST if they are too many */
function listValues(name: string, parameter: unknown): ValuePath[] {
  const paths: ValuePath[] = [{ key: name, value: parameter, parent: null }]
  // The list grows during the loop.
  for (const path of paths) {
    if (typeof path.value !== 'object' || path.value === null) continue
    for (const [key, value] of Object.entries(path.value)) paths.push({ key, value, parent: path })
    if (paths.length <= MAX_VALUES + 1) continue
    throw new ServiceError(
      'INVALID_REQUEST',
      `The ${name} must have at most ${MAX_VALUES} values, including those in lists and objects.`,
    )
  }
  return paths
}

/**
 * Checks what holds for any variables. JSON.parse has rounded a number beyond 2^53-1, so as an ID it would name a different item.
 * @throws ServiceError INVALID_REQUEST if they have too many values, INVALID_VALUE for a number that is not exact
 */
export function checkVariables({ variables }: Params): void {
  const rounded = listValues('variables', variables).filter(({ value }) => isRounded(value))
  if (rounded.length === 0) return
  const problems = rounded.slice(0, MAX_PROBLEMS).map((path) => {
    const argument = printPath(path)
    const message = `${argument} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
    return { argument, message }
  })
  const message = problems.map(({ message }) => message).join(' ')
  throw new ServiceError('INVALID_VALUE', message, { problems })
}

/** The path to a variable. Once it has 200 characters, no further key is added. */
function printPath(path: ValuePath): string {
  const keys: string[] = []
  for (let at = path; at.parent; at = at.parent) {
    const separator = Array.isArray(at.parent.value) ? `[${at.key}]` : `.${at.key}`
    keys.push(at.parent.parent ? separator : at.key)
  }
  return keys.reduceRight((text, key) => (text.length < 200 ? text + key : text))
}
