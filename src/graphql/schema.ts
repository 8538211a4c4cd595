import { builder } from './builder.ts'
import './pet.ts'

/** The whole graph; its SDL is printed to schema/schema.graphql. */
export const schema = builder.toSchema()
