/** Checks every response that a test gets against schema/openapi.yaml. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import type { TestResponse } from './client.ts'

type Node = Record<string, unknown>
const document = parse(
  readFileSync(new URL('../../schema/openapi.yaml', import.meta.url), 'utf8'),
) as Node & {
  paths: Record<string, Record<string, { responses: Record<string, Node> }>>
}
const ajv = new Ajv2020({ strict: false, formats: { int32: true, int64: true } })
ajv.addSchema(document, 'openapi')

/** @param name of a schema in the contract */
export const compileSchema = (name: string): ValidateFunction =>
  ajv.compile({ $ref: `openapi#/components/schemas/${name}` })

interface DocumentedResponse {
  headers: Set<string>
  accepts: ValidateFunction | null
}
const responses = new Map<string, DocumentedResponse>()
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    for (const [status, reference] of Object.entries(operation.responses)) {
      const response = follow(reference)
      const content = response.content as { 'application/json': { schema: object } } | undefined
      responses.set(`${method.toUpperCase()} ${path} ${status}`, {
        headers: new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())),
        accepts: content ? ajv.compile(absolute(content['application/json'].schema) as object) : null,
      })
    }
  }
}

/** Headers that any HTTP response may have without being documented. */
const COMMON_HEADERS = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'vary',
  'x-content-type-options',
])

/** @throws Error if the contract does not document this response of one of its operations */
export function expectContract(
  method: string,
  target: string,
  { status, headers, text, json }: TestResponse,
): void {
  const [path = ''] = target.replace(/^\/v1/, '').split('?')
  const template = path === '/pets' ? '/pets' : /^\/pets\/[^/]+$/.test(path) ? '/pets/{petId}' : null
  const operation = method === 'HEAD' ? 'GET' : method
  if (
    !target.startsWith('/v1/') ||
    !template ||
    !(operation.toLowerCase() in (document.paths[template] ?? {}))
  )
    return

  const name = `${operation} ${template} ${status}`
  const documented = responses.get(name)
  if (!documented) throw new Error(`${name} is not documented: ${text}`)
  const undocumented = Object.keys(headers).filter(
    (header) => !COMMON_HEADERS.has(header) && !documented.headers.has(header),
  )
  // RFC 9110, 15.5.16 allows it in a 415.
  if (undocumented.some((header) => header !== 'accept'))
    throw new Error(`${name} has undocumented headers: ${undocumented.join()}`)
  if (method === 'HEAD') return
  if (!documented.accepts) {
    if (text !== '') throw new Error(`${name} has an undocumented body: ${text}`)
  } else if (!documented.accepts(json)) {
    throw new Error(
      `${name} does not match its schema: ${JSON.stringify(documented.accepts.errors)}: ${text}`,
    )
  }
}

function follow(node: Node): Node {
  if (typeof node.$ref !== 'string') return node
  const steps = node.$ref.replace('#/', '').split('/')
  return steps.reduce<Node>((at, step) => at[step] as Node, document)
}

/** Makes a schema's references absolute, so that Ajv finds them in the whole document. */
function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' ? `openapi${String(value)}` : absolute(value),
    ]),
  )
}
