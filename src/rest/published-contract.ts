import { print } from 'graphql'
import { REST_PREFIX } from '../http/routes.ts'
import type { Contract, OperationId } from './contract.ts'
import type { RestOperation, RestOperations } from './mapping.ts'

export interface PublishOptions {
  /** The contract's server addresses; null: not configured. */
  production: string | null
  staging: string | null
  /** The URL of GraphiQL; null if it is not served. */
  graphiql: string | null
}

/** An OpenAPI document. */
export interface PublishedContract {
  servers: { url: string; description: string }[]
  [section: string]: unknown
}

/**
 * The contract as this server publishes it: schema/openapi.yaml plus the server addresses, and a link from each operation to its
 * GraphQL equivalent.
 */
export function publishContract(
  { document }: Contract,
  operations: RestOperations,
  { production, staging, graphiql }: PublishOptions,
): PublishedContract {
  const servers = [
    production === null
      ? { url: REST_PREFIX, description: 'This server' }
      : { url: production, description: 'Production' },
  ]
  if (staging) servers.push({ url: staging, description: 'Staging' })
  if (graphiql === null) return { ...document, servers }

  const paths = Object.entries(document.paths).map(([path, methods]): [string, object] => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        {
          ...operation,
          description: `${operation.description}\n\n${linkToGraphiql(operation.operationId, operations[operation.operationId], graphiql)}`,
        },
      ]),
    ),
  ])
  return { ...document, servers, paths: Object.fromEntries(paths) }
}

/** A Markdown sentence. */
function linkToGraphiql(id: OperationId, { document, example }: RestOperation, graphiql: string): string {
  const query = print(document)
  const variables = JSON.stringify(example, null, 2)
  const address = `${graphiql}?${new URLSearchParams({ query, variables }).toString()}`
  return `GraphQL equivalent: [${id}](${address}) in GraphiQL.`
}
