import { builder } from '../graphql/pothos/builder.ts'
import { passUnknownEnumValues } from '../workarounds/graphql.ts'
// Adds the types and fields of the resources to the builder, before it makes the schema.
import './resources.ts'

/** The complete GraphQL schema. `npm run codegen` prints its SDL to schema/schema.graphql. */
export const schema = builder.toSchema()

passUnknownEnumValues(schema)
