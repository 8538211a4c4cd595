import SchemaBuilder from '@pothos/core'
import { GraphQLError, Kind, type ValueNode } from 'graphql'
import { INT64_RANGE, readInt64 } from '../../base/int64.ts'
import type { Context } from './context.ts'

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    // Digits, not bigint: graphql-jit 0.8 cannot compile a literal whose parsed value is a bigint.
    Int64: { Input: string; Output: string }
  }
}>({ defaultFieldNullability: false })

builder.scalarType('Int64', {
  description:
    'A signed 64-bit integer as a string of decimal digits, such as `"9007199254740993"`. As input, integers are accepted, too: ' +
    'any 64-bit integer in a document, but only up to 2^53-1 in JSON variables.',
  serialize: (digits) => digits,
  parseValue: (value) => requireInt64(value),
  parseLiteral: (node) =>
    requireInt64(node.kind === Kind.STRING || node.kind === Kind.INT ? node.value : null, node),
})

builder.queryType({ description: 'Reads the inventory.' })
builder.mutationType({ description: 'Changes the inventory.' })
builder.subscriptionType({
  description:
    'Watches the inventory, over server-sent events (`Accept: text/event-stream`) ' +
    "or Apollo's multipart protocol (`Accept: multipart/mixed;subscriptionSpec=1.0`).",
})

function requireInt64(value: unknown, node?: ValueNode): string {
  const digits = readInt64(value)
  if (digits !== null) return digits
  const message = `Int64 must be ${INT64_RANGE}, as a string of decimal digits; JSON numbers are accepted up to 2^53-1, since larger ones would be rounded.`
  throw new GraphQLError(message, { nodes: node })
}
