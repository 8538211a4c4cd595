/** The REST contract: read for the routes, and published for clients. */
import { type DocumentNode, print } from 'graphql'
import document from '../generated/openapi.json' with { type: 'json' }
import type { operations } from '../generated/openapi-types.ts'
import { isJsonObject } from '../base/json.ts'
import { hasBody } from '../http/request-body.ts'
import { REST_PREFIX } from '../http/known-paths.ts'

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
export type Contract = ReturnType<typeof readContract>
export type ContractOperation = Contract['operations'][number]

type Paths<Operation> = Record<string, Record<string, Operation>>

/** A link to further documentation, as in OpenAPI. */
interface ExternalDocs {
  description: string
  url: string
}

interface ContractDocument {
  servers: { url: string; description: string }[]
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
export function readContract() {
  const { paths } = resolveReferences(document, document) as { paths: Paths<OpenApiOperation> }
  return {
    /** schema/openapi.yaml, unchanged. */
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

/** What the route of an operation needs. @throws Error if the operation has what routes do not support */
export function readOperation(path: string, method: string, operation: OpenApiOperation) {
  const { operationId: id, parameters = [], responses } = operation
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const verb = METHODS.find((name) => name.toLowerCase() === method)
  if (!verb) throw new Error(`${path}: ${method} is not supported`)
  if (parameters.some((parameter) => parameter.in === 'cookie'))
    throw new Error(`${id}: parameters in cookies are not supported`)
  const [status, ...others] = Object.keys(responses).filter((code) => code.startsWith('2'))
  if (!status || !/^\d+$/.test(status) || others.length > 0)
    throw new Error(`${id}: the number of 2xx responses must be one`)
  return {
    id,
    method: verb,
    /** Of a successful response. */
    status: Number(status),
    /** Relative to /v1, in Fastify's notation, with non-empty parameters: /items/:itemId([^]+) */
    url: path.replaceAll(/\{(\w+)\}/g, ':$1([^]+)'),
    /** The schema of all query parameters, as one object. */
    querySchema: {
      type: 'object',
      required: query.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    },
    /** The schema of the JSON body; null: the operation takes no body. */
    bodySchema: readBodySchema(verb, operation),
    deprecation: readDeprecation(operation),
    /** Whether an address, relative to the base URL, is one of this operation. */
    isAddress: (address: string) => RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}$`).test(address),
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

/** What the responses of an operation announce, if it is deprecated. */
function readDeprecation({
  operationId,
  deprecated,
  'x-deprecated-since': since,
  'x-sunset': sunset,
  'x-successor': successor,
}: OpenApiOperation) {
  if (!deprecated) return null
  if (!since || !sunset || !successor)
    throw new Error(`${operationId}: deprecated needs x-deprecated-since, x-sunset and x-successor`)
  return { since: new Date(since), sunset: new Date(sunset), successor }
}

/** Replaces each `$ref` with its target in the same document (JSON Pointer, RFC 6901). Ours have no cycles. */
function resolveReferences(node: unknown, root: unknown): unknown {
  if (Array.isArray(node)) return node.map((part) => resolveReferences(part, root))
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node) return resolveReferences(findPointer(String(node.$ref), root), root)
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolveReferences(value, root)]))
}

function findPointer(reference: string, root: unknown): unknown {
  const steps = reference.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>((node, step) => {
    if (typeof node === 'object' && node !== null && step in node)
      return (node as Record<string, unknown>)[step]
    throw new Error(`schema/openapi.yaml: ${reference} does not exist`)
  }, root)
}

type Operations = Readonly<Record<OperationId, { document: DocumentNode; example: object }>>

/**
 * A link from each operation to its GraphQL equivalent, in the form of OpenAPI. It is not in the description, which generators copy into
 * comments.
 * @param operations example: variables that work on the demo
 * @param graphiql its URL
 */
export function linkEquivalents(operations: Operations, graphiql: string): Record<string, ExternalDocs> {
  const links = Object.entries(operations).map(([id, { document, example }]) => {
    const query = new URLSearchParams({ query: print(document), variables: JSON.stringify(example, null, 2) })
    return [id, { description: `GraphQL equivalent: ${id}`, url: `${graphiql}?${query.toString()}` }] as const
  })
  return Object.fromEntries(links)
}

/**
 * The contract as this server publishes it: schema/openapi.yaml with the server addresses in place of variables, and a link from each
 * operation to its GraphQL equivalent, without the operations that are removed and what belongs to them.
 * @param addresses production, staging: the contract's server addresses; graphiql: its URL, not relative, which schemas of OpenAPI 3.1 and
 *   the tools that use them refuse; null: not configured, not served
 */
export function publishContract(
  { document }: Contract,
  operations: Operations,
  { production, staging, graphiql }: Record<'production' | 'staging' | 'graphiql', string | null>,
  removed: readonly string[],
) {
  const published =
    removed.length === 0
      ? structuredClone(document)
      : withoutUnreferenced(withoutOperations(document, removed))
  published.servers = [
    production === null
      ? { url: REST_PREFIX, description: 'This server' }
      : { url: production, description: 'Production' },
    ...(staging === null ? [] : [{ url: staging, description: 'Staging' }]),
  ]
  if (graphiql === null) return published
  const links = linkEquivalents(operations, graphiql)
  for (const operation of Object.values(published.paths).flatMap((methods) => Object.values(methods))) {
    const link = links[operation.operationId]
    if (link) operation.externalDocs = link
  }
  return published
}

/** A copy, in the same order. Without the operation that reads an item, a creation has no Location. */
function withoutOperations(document: ContractDocument, removed: readonly string[]): ContractDocument {
  const paths = structuredClone(document.paths)
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { operationId }] of Object.entries(methods)) {
      if (!removed.includes(operationId)) continue
      delete paths[path]?.[method]
      const parent = path.replace(/\/\{\w+\}$/, '')
      if (method === 'get' && parent !== path && paths[parent]) paths[parent] = withoutLocation(paths[parent])
    }
  const served = Object.entries(paths).filter(([, methods]) => Object.keys(methods).length > 0)
  return { ...structuredClone(document), paths: Object.fromEntries(served) }
}

function withoutLocation<Node>(node: Node): Node {
  return JSON.parse(JSON.stringify(node), (name, value: unknown) => {
    if (name === 'headers' && isJsonObject(value)) delete value.Location
    return value
  }) as Node
}

/** Without the components that no `$ref` leads to any more. */
function withoutUnreferenced({ components = {}, ...others }: ContractDocument): ContractDocument {
  const used = new Set<string>()
  const collect = (node: unknown) => {
    for (const [, reference = ''] of JSON.stringify(node).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (used.has(reference)) continue
      used.add(reference)
      collect(findPointer(reference, { components }))
    }
  }
  collect(others)
  const kept = Object.entries(components).map(([section, all]) => {
    // Security schemes are referred to by name.
    const isUsed = (name: string) =>
      section === 'securitySchemes' || used.has(`#/components/${section}/${name}`)
    return [section, Object.fromEntries(Object.entries(all).filter(([name]) => isUsed(name)))] as const
  })
  return { ...others, components: Object.fromEntries(kept) }
}
