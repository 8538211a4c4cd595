/** The contract as a server publishes it for clients. */
import type { FastifyInstance } from 'fastify'
import { type DocumentNode, print } from 'graphql'
import { isJsonObject } from '../base/json.ts'
import { JSON_TYPE } from '../http/headers.ts'
import { CONTRACT_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'
import {
  type Contract,
  type ContractDocument,
  type ExternalDocs,
  findPointer,
  type OperationId,
} from './contract.ts'

type Operations = Readonly<Record<OperationId, { document: DocumentNode; example: object }>>

/**
 * The contract as this server publishes it: schema/openapi.yaml with the server addresses in place of variables, and a link from each
 * operation to its GraphQL equivalent, without the operations that are removed and what belongs to them.
 * @param addresses production, staging: the contract's server addresses; graphiql: its URL, not relative, as schemas of OpenAPI 3.1 demand;
 *   null: not configured, not served
 */
export function publishContract(
  { document }: Contract,
  operations: Operations,
  { production, staging, graphiql }: Record<'production' | 'staging' | 'graphiql', string | null>,
  removed: readonly string[],
): ContractDocument {
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

/** Serves the contract to all, without a key. @param published as of `publishContract` */
export function registerContract(app: FastifyInstance, published: ContractDocument): void {
  const json = Buffer.from(JSON.stringify(published))
  registerPublicRoute(
    app,
    CONTRACT_PATH,
    (_, reply) => reply.type(JSON_TYPE).header('cache-control', 'no-cache').send(json),
    { api: 'rest' },
  )
}

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
