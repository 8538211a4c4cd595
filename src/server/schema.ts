import { defaultFieldResolver, isEnumType, isObjectType } from 'graphql'
import { requireWriteScope } from '../keys/api-key.ts'
import { trace } from '../base/trace-scope.ts'
import { builder } from '../graphql/schema/builder.ts'
import type { Context } from '../graphql/schema/context.ts'
import './resources.ts'

/** The complete GraphQL schema. `npm run codegen` prints its SDL to schema/schema.graphql. */
export const schema = builder.toSchema()

// Here, so that every mutation requires the write scope, including those added later.
for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
  const { resolve = defaultFieldResolver } = field
  field.resolve = (source, args, context: Context, info): unknown => {
    requireWriteScope(context.apiKey)
    return resolve(source, args, context, info)
  }
}

// A status that only a later version knows passes through, as clients of any API have to expect new values: an error would come too late
// for a write that has been made, and would hide the rest of a page.
for (const type of Object.values(schema.getTypeMap())) {
  if (!isEnumType(type) || type.name.startsWith('__')) continue
  const coerce = type.coerceOutputValue.bind(type)
  type.coerceOutputValue = (value) => (typeof value === 'string' ? value : coerce(value))
}

// The types with resolvers that wait for the database.
for (const type of Object.values(schema.getTypeMap())) {
  const { name } = type
  if (!isObjectType(type) || !/^(Query|Mutation|PageInfo|.*Connection)$/.test(name)) continue
  for (const field of Object.values(type.getFields())) {
    const { resolve = defaultFieldResolver } = field
    const path = `${name}.${field.name}`
    const attributes = { 'graphql.field.path': path }
    field.resolve = (source, args, context: Context, info): unknown =>
      trace(path, attributes, () => resolve(source, args, context, info))
  }
}
