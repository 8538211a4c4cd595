import SchemaBuilder from '@pothos/core'
import { GraphQLError, GraphQLInt, Kind, type ValueNode } from 'graphql'
import { INT64_RANGE, readInt64 } from '../../base/int64.ts'
import type { Context } from '../request/context.ts'

const EXPECTED = `${INT64_RANGE}, as a string of decimal digits; a number may have at most 2^53-1, since larger ones are rounded`

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    // Digits, not bigint, which graphql-jit cannot compile in a literal (workarounds/graphql-jit.ts).
    Int64: { Input: string; Output: string }
  }
}>({ defaultFieldNullability: false })

builder.scalarType('Int64', {
  description:
    'A signed 64-bit integer as a string of decimal digits, such as `"9007199254740993"`. As input, integers up to 2^53-1 are accepted, ' +
    'too. Larger ones are not, since programs on the way round them.',
  extensions: { expected: EXPECTED },
  serialize: (digits) => digits,
  parseValue: (value) => requireInt64(value),
  parseLiteral(node) {
    // A number as in variables: it must be exact, too, and -0 is 0.
    if (node.kind === Kind.INT) return requireInt64(Number(node.value), node)
    return requireInt64(node.kind === Kind.STRING ? node.value : null, node)
  },
})

builder.queryType({ description: 'Reads the inventory.' })
builder.mutationType({ description: 'Changes the inventory.' })
builder.subscriptionType({
  description:
    'Watches the inventory, over server-sent events (`Accept: text/event-stream`) ' +
    "or Apollo's multipart protocol (`Accept: multipart/mixed;subscriptionSpec=1.0`).",
})

/**
 * The value of an Int from a resolver that may be beyond its 32 bits, such as a count. Compiled documents do not coerce what resolvers return
 * (workarounds/graphql-jit.ts).
 * @throws GraphQLError
 */
export function toInt(value: number): number {
  return GraphQLInt.coerceOutputValue(value)
}

function requireInt64(value: unknown, node?: ValueNode): string {
  const digits = readInt64(value)
  if (digits !== null) return digits
  throw new GraphQLError(`Int64 must be ${EXPECTED}.`, { nodes: node })
}
