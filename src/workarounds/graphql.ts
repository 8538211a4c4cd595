/**
 * Workaround for graphql-js 17. test/unit/workarounds/graphql.test.ts shows the fault: a test that fails there says that it has been mended.
 *
 * - It fails a field whose value is none of its enumeration, as GraphQL says (3.9, result coercion), and has no option for that
 *   (`passUnknownEnumValues`).
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
