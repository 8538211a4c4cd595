import {
  type GraphQLField,
  type GraphQLSchema,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql'

/** All fields of the objects and interfaces of a schema, without those of introspection. A path is `Type.field`. */
export function fieldsOf(
  schema: GraphQLSchema,
): { path: string; typeName: string; field: GraphQLField<unknown, unknown> }[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({
        path: `${type.name}.${field.name}`,
        typeName: type.name,
        field,
      })),
    )
}
