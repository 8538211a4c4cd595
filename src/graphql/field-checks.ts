/** What types of the schema declare for the messages about their values (variable-problems.ts). */
import type { Field, Resource } from '../resource/fields/resource.ts'

declare module 'graphql' {
  interface GraphQLInputObjectTypeExtensions {
    /** The fields of a resource that the input has, by their names. They demand more of a value than its GraphQL type does. */
    resourceFields?: ReadonlyMap<string, Field>
  }
  interface GraphQLScalarTypeExtensions {
    /** What a value must be, after "must be". */
    expected?: string
  }
}

/** The `extensions` of an input with fields of a resource. */
export function declareChecks({ newFields }: Pick<Resource, 'newFields'>): {
  resourceFields: ReadonlyMap<string, Field>
} {
  return { resourceFields: new Map(newFields.map((field) => [field.name, field])) }
}
