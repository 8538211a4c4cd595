/** What a client sends for an item, and whether it is valid. */
import type { Problem } from '../../base/error-catalogue.ts'
import { throwIfInvalid } from '../../base/service-error.ts'
import type { Value } from './field-type.ts'
import type { Field, FieldValues, Item, NewItem, Patch, Resource } from './resource.ts'

/** The values that a client sent for the fields of an item. */
type Input<Values> = { readonly [Name in keyof Values]?: Values[Name] | null | undefined }

/**
 * The item that a client wants to create, with the defaults of what it left out.
 * @param argument what names the input in messages
 * @throws ServiceError INVALID_VALUE that names the invalid fields
 */
export function readNewItem<TItem extends Item>(
  { newFields }: Resource<TItem>,
  input: Input<NewItem<TItem>>,
  argument: string,
  otherProblems: readonly (Problem | null)[] = [],
): NewItem<TItem> {
  const values: FieldValues = input
  throwIfInvalid([
    ...newFields.map((field) => validateValue(field, values[field.name], argument)),
    ...otherProblems,
  ])
  const item = Object.fromEntries(
    newFields.map(({ name, default: absent = null }) => [name, values[name] ?? absent]),
  )
  // GraphQL has checked that the required fields are there, and all types.
  return item as NewItem<TItem>
}

/**
 * The fields that a client wants to update or expects, without those that it left out.
 * @param input by argument
 * @throws as readNewItem
 */
export function readPatches<TItem extends Item, Argument extends string>(
  { newFields }: Resource<TItem>,
  input: Readonly<Record<Argument, Input<Patch<TItem>> | null | undefined>>,
): Record<Argument, Patch<TItem>> {
  const patches = Object.entries<FieldValues | null | undefined>(input).map(
    ([argument, values]) => [argument, values ?? {}] as const,
  )
  throwIfInvalid(
    patches.flatMap(([argument, values]) =>
      newFields.map((field) => {
        const { name, isNullable } = field
        return values[name] === null && !isNullable
          ? { argument: `${argument}.${name}`, message: `${name} must not be null.` }
          : validateValue(field, values[name], argument)
      }),
    ),
  )
  // GraphQL has checked that there are no other fields, and all types.
  return Object.fromEntries(patches) as Record<Argument, Patch<TItem>>
}

/** @param value of the type that GraphQL has for the field */
function validateValue(field: Field, value: Value | undefined, argument: string): Problem | null {
  const expected = value == null ? null : field.expectedInstead(value)
  if (expected === null) return null
  return { argument: `${argument}.${field.name}`, message: `${field.name} must be ${expected}.` }
}
