/**
 * Patches, and the values that an item is expected to have, in statements. Beside the value of each field, a flag says
 * whether there is one; so a statement has one text, whichever fields it sets and expects.
 */
import { type SQL, sql } from 'drizzle-orm'
import { nameOf, parameter } from '../../db/postgres/statement.ts'
import type { FieldValues, Resource } from '../fields/resource.ts'
import { join, parametersOf, toSqlParameter, type Typed } from '../fields/sql-fragments.ts'

/** The dots keep the names of parameters apart from those of fields. */
const EXPECTED = 'expected.'
const flagOf = ({ name }: Pick<Typed, 'name'>): Typed => ({ name: `${name}.isSet`, type: 'boolean' })

/** What a statement gets of a patch: the values, then their flags. */
export function patchFieldsOf({ newFields }: Resource): Typed[] {
  return [...newFields, ...newFields.map(flagOf)]
}

/** The values of these. @param prefix of their names */
export function toPatchValues({ newFields }: Resource, patch: FieldValues, prefix = ''): FieldValues {
  return Object.fromEntries(
    newFields.flatMap(({ name }) => [
      [`${prefix}${name}`, patch[name]],
      [flagOf({ name: `${prefix}${name}` }).name, patch[name] !== undefined],
    ]),
  )
}

/** SET: a field that the patch does not have keeps its value. @param read a value or a flag of the patch as SQL */
export function setFields({ newFields }: Resource, read: (field: Typed) => SQL): SQL {
  return join(
    newFields.map((field) => {
      const { column } = field
      return sql`${nameOf(column)} = case when ${read(flagOf(field))} then ${read(field)} else ${column} end`
    }),
  )
}

/** A value or a flag as a parameter, in a statement for one item. */
export function readParameter({ name, type }: Typed): SQL {
  return parameter(name, type)
}

/**
 * WHERE for one item: it has the id, and the expected values. Postgres compares them again after it has waited for another write of the
 * item.
 */
export function whereItem({ id, newFields }: Resource): SQL {
  const isAsExpected = newFields.map(({ column, ...field }) => {
    const expected = { ...field, name: `${EXPECTED}${field.name}` }
    return sql` and (not ${readParameter(flagOf(expected))} or ${column} is not distinct from ${readParameter(expected)})`
  })
  return sql`${id.column} = ${parametersOf([id])}${sql.join(isAsExpected)}`
}

/** The parameters of a statement with whereItem, and with setFields if there is a patch. */
export function toItemParameters(
  resource: Resource,
  id: string,
  { patch = {}, expected }: { patch?: FieldValues; expected: FieldValues },
): Record<string, string | null> {
  const values = {
    id,
    ...toPatchValues(resource, patch),
    ...toPatchValues(resource, expected, EXPECTED),
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toSqlParameter(value)]))
}
