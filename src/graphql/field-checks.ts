/** What the fields of an input must be, beyond their GraphQL types: declared with it, and read by variables.ts. */
import { findFault } from '../resource/fields/item-validation.ts'
import type { Resource } from '../resource/fields/resource.ts'

interface FieldChecks {
  /** @returns what a field must be; undefined: its type says so */
  expected: (name: string) => string | undefined
  /** @returns what a field must be instead; null: the value is valid, or not of its type */
  findFault: (name: string, value: unknown) => string | null
}

declare module 'graphql' {
  interface GraphQLInputObjectTypeExtensions {
    checks?: FieldChecks
  }
  interface GraphQLScalarTypeExtensions {
    /** What a value must be, after "must be". */
    expected?: string
  }
}

/** The `extensions` of an input with fields of a resource. */
export function declareChecks({ newFields }: Pick<Resource, 'newFields'>): { checks: FieldChecks } {
  const fields = new Map(newFields.map((field) => [field.name, field]))
  return {
    checks: {
      expected(name) {
        const field = fields.get(name)
        // An int64 is a string of digits in GraphQL.
        return field?.type === 'bigint' ? undefined : field?.expected
      },
      findFault(name, value) {
        const field = fields.get(name)
        return field && typeof value === 'string' ? findFault(field, value) : null
      },
    },
  }
}
