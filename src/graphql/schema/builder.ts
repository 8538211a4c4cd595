import SchemaBuilder from '@pothos/core'
import { GraphQLError, Kind, type ValueNode } from 'graphql'
import { INT64_RANGE, isInt64 } from '../../base/int64.ts'
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
    'A signed 64-bit integer as a decimal string, such as `"9007199254740993"`. Integers are also accepted as input: ' +
    'any 64-bit integer in the text of a document, but only up to 2^53-1 in JSON variables.',
  serialize: (digits) => digits,
  parseValue(value) {
    if (typeof value === 'string') return requireInt64(value)
    if (Number.isSafeInteger(value)) return requireInt64(String(value))
    throw new GraphQLError(
      `Int64 must be ${INT64_RANGE}, as a decimal string (or as a JSON number up to 2^53-1; larger ones would be rounded).`,
    )
  },
  parseLiteral(node) {
    if (node.kind !== Kind.STRING && node.kind !== Kind.INT) {
      throw new GraphQLError(`Int64 must be ${INT64_RANGE}.`, { nodes: node })
    }
    return requireInt64(node.value, node)
  },
})

builder.queryType({ description: 'Reads the inventory.' })
builder.mutationType({ description: 'Changes the inventory.' })

function requireInt64(digits: string, node?: ValueNode): string {
  if (!isInt64(digits))
    throw new GraphQLError(`Int64 must be ${INT64_RANGE}, as a decimal string.`, { nodes: node })
  return digits
}
