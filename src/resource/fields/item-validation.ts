/** What a client sends for an item, and whether it is valid. */
import { type Problem, throwIfInvalid } from '../../base/service-error.ts'
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

/** The fields that a client wants to update or expects, without those that it left out. @param input by argument @throws as readNewItem */
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
  if (value == null) return null
  const expected = findFault(field, value)
  if (expected === null) return null
  return { argument: `${argument}.${field.name}`, message: `${field.name} must be ${expected}.` }
}

/** @returns what is wrong with a value: what the field must be instead; null: the value is valid @param value undefined: it is not of the field's type */
export function findFault(field: Field, value: Value | undefined): string | null {
  if (value === undefined) return field.expected
  return findTextFault(value) ?? (value === null || field.allows(value) ? null : field.expected)
}

/** Reads a value of any kind. @param value from JSON in which each integer became a bigint. @returns undefined if it is not of the field's type */
export function readValue(field: Field, value: unknown): Value | undefined {
  if (value === null) return field.isNullable ? null : undefined
  return field.read(value)
}

/** Postgres stores neither U+0000 nor lone surrogates; dropping them silently would change the text. @returns as findFault */
export function findTextFault(text: unknown): string | null {
  if (typeof text !== 'string' || (!text.includes('\0') && text.isWellFormed())) return null
  return 'a string without U+0000 and without lone surrogates'
}
