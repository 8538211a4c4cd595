import { isEnumType } from 'graphql'
import { builder } from '../graphql/resource-types/builder.ts'
import './resources.ts'

/** The complete GraphQL schema. `npm run codegen` prints its SDL to schema/schema.graphql. */
export const schema = builder.toSchema()

// A status that only a later version knows passes through, as clients of any API have to expect new values: an error would come too late
// for a write that has been made, and would hide the rest of a page.
for (const type of Object.values(schema.getTypeMap())) {
  if (!isEnumType(type) || type.name.startsWith('__')) continue
  const coerce = type.coerceOutputValue.bind(type)
  type.coerceOutputValue = (value) => (typeof value === 'string' ? value : coerce(value))
}
