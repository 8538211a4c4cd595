import { defaultFieldResolver } from 'graphql'
import { requireWriteScope } from '../../auth.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import './pet.ts'
import './pet-connection.ts'
import './pet-mutations.ts'
import './pet-subscription.ts'

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
