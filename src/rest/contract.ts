/** The REST contract, schema/openapi.yaml: what its operations are, for their routes. */
import document from '../generated/openapi.json' with { type: 'json' }
import type { operations } from '../generated/openapi-types.ts'
import { hasBody } from '../http/request-body.ts'

export type OperationId = keyof operations

/** The parts of JSON Schema that this program reads from the contract. */
export interface Schema {
  type?: string
  format?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  maxLength?: number
  required?: string[]
  properties?: Record<string, Schema>
  [keyword: string]: unknown
}

/** The contract, and its operations in the form that their routes need. */
export interface Contract {
  /** The file, unchanged. */
  document: ContractDocument
  operations: ContractOperation[]
}

type Paths<Operation> = Record<string, Record<string, Operation>>

/** A link to further documentation, as in OpenAPI. */
export interface ExternalDocs {
  description: string
  url: string
}

/** The parts of an OpenAPI document that are changed before it is published. */
export interface ContractDocument {
  servers: { url: string; description: string }[]
  /** Operations by path and method, in lower case. */
  paths: Paths<{
    operationId: OperationId
    description: string
    externalDocs?: ExternalDocs
    [field: string]: unknown
  }>
  components?: Record<string, Record<string, unknown>>
  [section: string]: unknown
}

/** Reads schema/openapi.yaml as converted by `npm run codegen`. It is our own file, so this relies on the tests for its form. */
export function readContract(): Contract {
  const { paths } = resolveReferences(document, document) as { paths: Paths<OpenApiOperation> }
  return {
    document: document as ContractDocument,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => readOperation(path, method, operation)),
    ),
  }
}

/** The methods that an operation may have. HEAD and OPTIONS follow from those of its path. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

interface OpenApiOperation {
  operationId: OperationId
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, unknown>
  deprecated?: boolean
  'x-deprecated-since'?: string
  'x-sunset'?: string
  'x-successor'?: string
}

/** An operation, in the form that its route needs. */
export interface ContractOperation {
  id: OperationId
  method: (typeof METHODS)[number]
  /** Of a successful response. */
  status: number
  /** Relative to /v1, in Fastify's notation, with non-empty parameters: /items/:itemId([^]+) */
  url: string
  /** The schema of all query parameters, as one object. */
  querySchema: Schema & { properties: Record<string, Schema> }
  /** The schema of the JSON body; null: the operation takes no body. */
  bodySchema: Schema | null
  /** What its responses announce; null: it is not deprecated. */
  deprecation: Deprecation | null
  /** Whether an address, relative to the base URL, is one of this operation. */
  isAddress: (address: string) => boolean
}

/** When an operation was deprecated, when it will be removed, and the path of what replaces it, relative to the base URL. */
export interface Deprecation {
  since: Date
  sunset: Date
  successor: string
}

/**
 * Reads what a route needs. Parameters in headers are left to the handler, which gets all headers: their schemas are only documentation.
 * @throws Error if the operation has what routes do not support
 */
export function readOperation(path: string, method: string, operation: OpenApiOperation): ContractOperation {
  const { operationId: id, parameters = [], responses } = operation
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const verb = METHODS.find((name) => name.toLowerCase() === method)
  if (!verb) throw new Error(`${path}: ${method} is not supported`)
  if (parameters.some((parameter) => parameter.in === 'cookie'))
    throw new Error(`${id}: parameters in cookies are not supported`)
  const [status, ...others] = Object.keys(responses).filter((code) => code.startsWith('2'))
  if (!status || !/^\d+$/.test(status) || others.length > 0)
    throw new Error(`${id}: the number of 2xx responses must be one`)
  const addresses = RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}$`)
  return {
    id,
    method: verb,
    status: Number(status),
    url: path.replaceAll(/\{(\w+)\}/g, ':$1([^]+)'),
    querySchema: {
      type: 'object',
      required: query.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    },
    bodySchema: readBodySchema(verb, operation),
    deprecation: readDeprecation(operation),
    isAddress: (address) => addresses.test(address),
  }
}

function readBodySchema(verb: string, { operationId, requestBody }: OpenApiOperation): Schema | null {
  if (hasBody(verb) !== (requestBody !== undefined))
    throw new Error(`${operationId}: POST, PUT and PATCH must have a body, and other methods must not`)
  if (!requestBody) return null
  const { 'application/json': json, ...others } = requestBody.content
  if (!requestBody.required || !json || Object.keys(others).length > 0)
    throw new Error(`${operationId}: the body must be required, and application/json only`)
  return json.schema
}

function readDeprecation({
  operationId,
  deprecated,
  'x-deprecated-since': since,
  'x-sunset': sunset,
  'x-successor': successor,
}: OpenApiOperation): Deprecation | null {
  if (!deprecated) return null
  if (!since || !sunset || !successor)
    throw new Error(`${operationId}: deprecated needs x-deprecated-since, x-sunset and x-successor`)
  return { since: readDate(operationId, since), sunset: readDate(operationId, sunset), successor }
}

function readDate(operationId: string, text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Error(`${operationId}: ${text} must be a date`)
  return date
}

/** Replaces each object that has a `$ref` with the target in the same document. Ours have no cycles. */
function resolveReferences(node: unknown, root: unknown): unknown {
  if (Array.isArray(node)) return node.map((part) => resolveReferences(part, root))
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node) return resolveReferences(findPointer(String(node.$ref), root), root)
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolveReferences(value, root)]))
}

/** What a `$ref` leads to: a JSON Pointer (RFC 6901) without escapes. @throws Error if it does not exist */
export function findPointer(reference: string, root: unknown): unknown {
  const steps = reference.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>((node, step) => {
    if (typeof node === 'object' && node !== null && step in node)
      return (node as Record<string, unknown>)[step]
    throw new Error(`schema/openapi.yaml: ${reference} does not exist`)
  }, root)
}
