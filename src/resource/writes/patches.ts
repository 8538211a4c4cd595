/**
 * Patches, and the values that an item is expected to have, in statements. Beside the value of each field, a flag says
 * whether there is one; so a statement has one text, whichever fields it sets and expects.
 */
import { type SQL, sql } from 'drizzle-orm'
import { nameOf } from '../../db/postgres/statement.ts'
import type { FieldValues, Resource } from '../fields/resource.ts'
import { join, type TypedName, placeholderOf, toSqlValue } from '../fields/sql-fragments.ts'

/** Whether a patch has no field. */
export function isEmpty(patch: FieldValues): boolean {
  return Object.values(patch).every((value) => value === undefined)
}

/** Begins the names of the expected values. The dots keep these names apart from those of fields. */
const EXPECTED = 'expected.'

/** The flag that says whether there is a value of this name. */
function flagOf(name: string): TypedName {
  return { name: `isSet.${name}`, type: 'boolean' }
}

/** What a statement is sent of a patch: the values, then their flags. */
export function patchNamesOf({ newFields }: Resource): TypedName[] {
  return [...newFields, ...newFields.map(({ name }) => flagOf(name))]
}

/** The values and the flags of a patch. @param prefix of their names */
export function toPatchValues({ newFields }: Resource, patch: FieldValues, prefix = ''): FieldValues {
  return Object.fromEntries(
    newFields.flatMap(({ name }) => [
      [`${prefix}${name}`, patch[name]],
      [flagOf(`${prefix}${name}`).name, patch[name] !== undefined],
    ]),
  )
}

/** SET: a field that the patch does not have keeps its value. @param read a value or a flag of the patch as SQL */
export function setFields({ newFields }: Resource, read: (sent: TypedName) => SQL): SQL {
  return join(
    newFields.map((field) => {
      const { name, column } = field
      return sql`${nameOf(column)} = case when ${read(flagOf(name))} then ${read(field)} else ${column} end`
    }),
  )
}

/**
 * WHERE for one item: it has the id, and the expected values. Postgres compares them again after it has waited for another write of the
 * item.
 */
export function whereItem({ id, newFields }: Resource): SQL {
  const comparisons = newFields.map(({ name, type, column }) => {
    const expected = { name: `${EXPECTED}${name}`, type }
    return sql` and (not ${placeholderOf(flagOf(expected.name))} or ${column} is not distinct from ${placeholderOf(expected)})`
  })
  return sql`${id.column} = ${placeholderOf(id)}${sql.join(comparisons)}`
}

/** The values for whereItem, and for setFields if there is a patch. */
export function toItemValues(
  resource: Resource,
  id: string,
  { patch = {}, expected }: { patch?: FieldValues; expected: FieldValues },
): Record<string, string | null> {
  const values = {
    id,
    ...toPatchValues(resource, patch),
    ...toPatchValues(resource, expected, EXPECTED),
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toSqlValue(value)]))
}
