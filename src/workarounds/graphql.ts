/**
 * An option that graphql-js 17 does not have; the first test in test/unit/workarounds/graphql.test.ts fails when none is needed.
 *
 * - It fails a field whose value is none of its enumeration, as GraphQL says (3.9, result coercion); `passUnknownEnumValues` lets it pass.
 */
import { type GraphQLSchema, isEnumType } from 'graphql'

/**
 * Lets values of enumerations pass that only a later version knows, as clients of any API have to expect new values. An error would come too
 * late for a write that has been made, and would hide the rest of a page.
 */
export function passUnknownEnumValues(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type) || type.name.startsWith('__')) continue
    const coerce = type.coerceOutputValue.bind(type)
    type.coerceOutputValue = (value) => (typeof value === 'string' ? value : coerce(value))
  }
}
