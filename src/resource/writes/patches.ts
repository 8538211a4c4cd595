/**
 * Patches, and the values that an item is expected to have, in statements. Beside the value of each field, a flag says
 * whether there is one; so a statement has one text, whichever fields it sets and expects.
 */
import { type SQL, sql } from 'drizzle-orm'
import { nameOf } from '../../db/postgres/sql-parts.ts'
import type { FieldValues, Resource } from '../fields/resource.ts'
import { commaSeparated, type TypedName, placeholderOf, toSqlValue } from '../fields/sql-fragments.ts'

/** Whether a patch has no field. */
export function isEmpty(patch: FieldValues): boolean {
  return Object.values(patch).every((value) => value === undefined)
}

/** How the names of what is sent of a patch begin, and of the expected values. The dots keep them apart from the names of fields. */
type Prefix = '' | 'expected.'

/** What a statement is sent of a field: its value, and whether there is one. */
function namesFor({ name, type }: TypedName, prefix: Prefix): { value: TypedName; isSet: TypedName } {
  return {
    value: { name: `${prefix}${name}`, type },
    isSet: { name: `isSet.${prefix}${name}`, type: 'boolean' },
  }
}

/** What a statement is sent of a patch: the values, then their flags. */
export function patchNamesOf({ newFields }: Resource): TypedName[] {
  return [...newFields, ...newFields.map((field) => namesFor(field, '').isSet)]
}

/** The values and the flags of a patch, or of expected values. */
export function toPatchValues(
  { newFields }: Resource,
  patch: FieldValues,
  prefix: Prefix = '',
): Record<string, string | null> {
  return Object.fromEntries(
    newFields.flatMap((field) => {
      const { value, isSet } = namesFor(field, prefix)
      const sent = patch[field.name]
      return [
        [value.name, toSqlValue(sent)],
        [isSet.name, String(sent !== undefined)],
      ]
    }),
  )
}

/** SET: a field that the patch does not have keeps its value. @param read a value or a flag of the patch as SQL */
export function setFields({ newFields }: Resource, read: (sent: TypedName) => SQL): SQL {
  return commaSeparated(
    newFields.map((field) => {
      const { value, isSet } = namesFor(field, '')
      const { column } = field
      return sql`${nameOf(column)} = case when ${read(isSet)} then ${read(value)} else ${column} end`
    }),
  )
}

/**
 * WHERE for one item: it has the id, and the expected values. Postgres compares them again after it has waited for another write of the
 * item.
 */
export function whereItem({ id, newFields }: Resource): SQL {
  const comparisons = newFields.map((field) => {
    const { value, isSet } = namesFor(field, 'expected.')
    return sql` and (not ${placeholderOf(isSet)} or ${field.column} is not distinct from ${placeholderOf(value)})`
  })
  return sql`${id.column} = ${placeholderOf(id)}${sql.join(comparisons)}`
}

/** The values for whereItem, and for setFields if there is a patch. */
export function toItemValues(
  resource: Resource,
  id: string,
  { patch = {}, expected }: { patch?: FieldValues; expected: FieldValues },
): Record<string, string | null> {
  return { id, ...toPatchValues(resource, patch), ...toPatchValues(resource, expected, 'expected.') }
}
