import { builder } from './builder.ts'
import './pet.ts'
import './pet-list.ts'
import './pet-changes.ts'
import './pet-events.ts'

/** The whole graph; its SDL is printed to schema/schema.graphql. */
export const schema = builder.toSchema()
