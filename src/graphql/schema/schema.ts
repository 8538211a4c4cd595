import { builder } from './builder.ts'
import './pet.ts'
import './pet-connection.ts'
import './pet-mutations.ts'
import './pet-subscription.ts'

/** The complete GraphQL schema. `npm run codegen` prints its SDL to schema/schema.graphql. */
export const schema = builder.toSchema()
