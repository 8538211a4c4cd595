/**
 * What types of the schema say of their values, for the messages about those that are not valid (variable-problems.ts). It validates nothing:
 * graphql-js does that for types, and resolvers for the fields of a resource.
 */
import type { Field, Resource } from '../../resource/fields/resource.ts'

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

/** The `extensions` of an input that has the fields of a resource which clients send. */
export function declareExpectations({ newFields }: Pick<Resource, 'newFields'>): {
  resourceFields: ReadonlyMap<string, Field>
} {
  return { resourceFields: new Map(newFields.map((field) => [field.name, field])) }
}
