import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import { GraphQLError, type GraphQLFieldResolver, Kind, type ValueNode } from 'graphql'
import { INT64_RANGE, readInt64 } from '../../base/int64.ts'
import { requireWriteScope } from '../../keys/api-key.ts'
import type { Context } from './context.ts'

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Pothos finds the types of plugins here
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      access: AccessPlugin<Types>
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

/** Every mutation requires the write scope. */
class AccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    if (field.kind !== 'Mutation') return resolve
    return (source, args, context, info): unknown => {
      requireWriteScope((context as Context).apiKey)
      return resolve(source, args, context, info)
    }
  }
}

SchemaBuilder.registerPlugin('access', AccessPlugin)

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    // Digits, not bigint: graphql-jit 0.8 cannot compile a literal whose parsed value is a bigint.
    Int64: { Input: string; Output: string }
  }
}>({ defaultFieldNullability: false, plugins: ['access'] })

builder.scalarType('Int64', {
  description:
    'A signed 64-bit integer as a decimal string, such as `"9007199254740993"`. Integers are also accepted as input: ' +
    'any 64-bit integer in the text of a document, but only up to 2^53-1 in JSON variables.',
  serialize: (digits) => digits,
  parseValue: (value) => requireInt64(value),
  parseLiteral: (node) =>
    requireInt64(node.kind === Kind.STRING || node.kind === Kind.INT ? node.value : null, node),
})

builder.queryType({ description: 'Reads the inventory.' })
builder.mutationType({ description: 'Changes the inventory.' })
builder.subscriptionType({
  description:
    'Subscribes to the inventory by server-sent events (`Accept: text/event-stream`) ' +
    "or Apollo's multipart protocol (`Accept: multipart/mixed;subscriptionSpec=1.0`).",
})

function requireInt64(value: unknown, node?: ValueNode): string {
  const digits = readInt64(value)
  if (digits !== null) return digits
  const message = `Int64 must be ${INT64_RANGE}, as a decimal string (or as a JSON number up to 2^53-1; larger ones would be rounded).`
  throw new GraphQLError(message, { nodes: node })
}
