import { print } from 'graphql'
import type { Contract, OperationId } from './contract.ts'
import { documents } from './operations.ts'

export interface Publication {
  /** The contract's server addresses. */
  production: string
  staging: string | null
  /** Where GraphiQL is; null when it is not served. */
  graphiql: string | null
}

/** An OpenAPI document. */
export interface PublishedContract {
  servers: { url: string; description: string }[]
  [section: string]: unknown
}

/**
 * The contract as this server publishes it: schema/openapi.yaml, with the addresses that it is served at, and with each
 * operation naming the GraphQL operation that it runs.
 */
export function publishContract(
  { document }: Contract,
  { production, staging, graphiql }: Publication,
): PublishedContract {
  const servers = [{ url: production, description: 'Production' }]
  if (staging) servers.push({ url: staging, description: 'Staging' })
  if (graphiql === null) return { ...document, servers }

  const paths = Object.entries(document.paths).map(([path, methods]): [string, object] => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        {
          ...operation,
          description: `${operation.description}\n\n${linkToGraphiql(operation.operationId, graphiql)}`,
        },
      ]),
    ),
  ])
  return { ...document, servers, paths: Object.fromEntries(paths) }
}

/** With values that can be run as they are, on the demo. */
const EXAMPLE_VARIABLES: Record<OperationId, object> = {
  listPets: { first: 5, filter: { status: ['available'] } },
  createPet: { input: { name: 'Rex', categoryId: '7', status: 'available' } },
  getPet: { petId: '1' },
}

/** A sentence of Markdown. */
function linkToGraphiql(id: OperationId, graphiql: string): string {
  const query = print(documents[id])
  const variables = JSON.stringify(EXAMPLE_VARIABLES[id], null, 2)
  const address = `${graphiql}?${new URLSearchParams({ query, variables }).toString()}`
  return `It runs the GraphQL operation [${id}](${address}), which opens in GraphiQL.`
}
