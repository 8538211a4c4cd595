import { builder } from '../graphql/schema/builder.ts'
import '../pets/graphql/mutations.ts'
import '../pets/graphql/queries.ts'
import '../pets/graphql/subscription.ts'

/** The complete GraphQL schema. `npm run codegen` prints its SDL to schema/schema.graphql. */
export const schema = builder.toSchema()
