/** What changes, apart from their routes, when operations of the contract are no longer served. */
import { GraphQLObjectType, GraphQLSchema } from 'graphql'
import type { Contract } from '../rest/contract.ts'

/** The schema without the links to these operations in the descriptions of its fields. */
export function withoutLinks(schema: GraphQLSchema, removed: readonly string[]): GraphQLSchema {
  if (removed.length === 0) return schema
  const link = RegExp(` REST equivalent: \\[[^\\]]*\\]\\(docs#[^)]*/(?:${removed.join('|')})\\)\\.`)
  const change = <Type extends GraphQLObjectType | null | undefined>(type: Type) => {
    if (!type) return type
    const { fields, ...config } = type.toConfig()
    const changed = Object.entries(fields).map(
      ([name, field]) => [name, { ...field, description: field.description?.replace(link, '') }] as const,
    )
    return new GraphQLObjectType({ ...config, fields: Object.fromEntries(changed) })
  }
  const { query, mutation, subscription, types, ...config } = schema.toConfig()
  const roots = [query, mutation, subscription]
  return new GraphQLSchema({
    ...config,
    query: change(query),
    mutation: change(mutation),
    subscription: change(subscription),
    types: types.filter((type) => !roots.some((root) => root === type)),
  })
}

/** Warns of operations that are still served although the contract says that they are removed by now. */
export function warnOfOverdue(
  { operations }: Contract,
  removed: readonly string[],
  log: { warn(details: object, message: string): void },
): void {
  for (const { id, deprecation } of operations)
    if (deprecation && deprecation.sunset.getTime() <= Date.now() && !removed.includes(id))
      log.warn(
        { operation: id, sunset: deprecation.sunset.toUTCString() },
        `${id} was to be removed: set REMOVED_OPERATIONS=${id}`,
      )
}
