import { builder } from '../graphql/pothos/builder.ts'
import { passUnknownEnumValues } from '../workarounds/graphql.ts'
import './resources.ts'

/** The complete GraphQL schema. `npm run codegen` prints its SDL to schema/schema.graphql. */
export const schema = builder.toSchema()

passUnknownEnumValues(schema)
