/** Workarounds for graphql-js 17. */
import { type GraphQLSchema, isEnumType } from 'graphql'

/**
 * Lets values of enumerations pass that only a later version knows, as clients of any API have to expect new values. graphql-js fails the
 * field instead (GraphQL, 3.9: result coercion), and has no option for that: such an error would come too late for a write that has been
 * made, and would hide the rest of a page.
 */
export function passUnknownEnumValues(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type) || type.name.startsWith('__')) continue
    const coerce = type.coerceOutputValue.bind(type)
    type.coerceOutputValue = (value) => (typeof value === 'string' ? value : coerce(value))
  }
}
