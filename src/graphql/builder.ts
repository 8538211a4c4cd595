import SchemaBuilder from '@pothos/core'
import { GraphQLError, Kind } from 'graphql'
import type { ApiKey } from '../auth.ts'
import type { Database } from '../db/connect.ts'
import { INT64_RANGE, isInt64 } from '../int64.ts'

/** What every resolver is handed: one per request, the same at both doors. */
export interface Context {
  database: Database
  key: ApiKey
  /** Whether it is the demo's own GraphiQL that asks. */
  isDemoGraphiql: boolean
  log: Log
  /** Calls the listener when nobody waits for the answer any more: at once, if that is so already. */
  onClose: (listener: () => void) => void
}

/** The part of the request's logger that is needed here; it names the request by itself. */
export interface Log {
  error: (details: object, message: string) => void
  warn: (details: object, message: string) => void
}

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    // Digits on both sides: graphql-jit 0.8 could not compile a literal whose parsed value is a bigint either.
    Int64: { Input: string; Output: string }
  }
}>({ defaultFieldNullability: false })

builder.scalarType('Int64', {
  description:
    'A signed 64-bit integer, exact over its whole range: a decimal string such as `"9007199254740993"`. ' +
    'Inputs may also be integers: any in the text of a document, and up to 2^53-1 in JSON variables.',
  serialize: (digits) => digits,
  parseValue(value) {
    if (typeof value === 'string') return readDigits(value)
    if (Number.isSafeInteger(value)) return readDigits(String(value))
    throw new GraphQLError(
      `Int64 must be ${INT64_RANGE}, as a decimal string (or as a JSON number up to 2^53-1, since a larger one is rounded on its way).`,
    )
  },
  parseLiteral(node) {
    if (node.kind !== Kind.STRING && node.kind !== Kind.INT) {
      throw new GraphQLError(`Int64 must be ${INT64_RANGE}.`, { nodes: node })
    }
    return readDigits(node.value)
  },
})

builder.queryType({
  description: 'What can be asked of the inventory, such as `{ pets(first: 3) { nodes { name } } }`.',
})
builder.mutationType({
  description: 'What can be changed in the inventory, such as `mutation { deletePet(id: "42") { name } }`.',
})

function readDigits(digits: string): string {
  if (!isInt64(digits)) throw new GraphQLError(`Int64 must be ${INT64_RANGE}, as a decimal string.`)
  return digits
}
