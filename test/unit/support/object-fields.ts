import { type GraphQLField, type GraphQLSchema, isIntrospectionType, isObjectType } from 'graphql'

/** All fields of the object types of a schema, without those of introspection. A path is `Type.field`. */
export function objectFieldsOf(
  schema: GraphQLSchema,
): { path: string; field: GraphQLField<unknown, unknown> }[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type))
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
    )
}
