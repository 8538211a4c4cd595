/**
 * Patches, and the values that an item is expected to have, in statements. Beside the value of each field, a flag says
 * whether there is one; so a statement has one text, whichever fields it sets and expects.
 */
import { type SQL, sql } from 'drizzle-orm'
import { nameOf } from '../../db/postgres/statement.ts'
import type { FieldValues, Resource } from '../fields/resource.ts'
import { join, type Parameter, placeholderOf, toSqlParameter } from '../fields/sql-fragments.ts'

/** Begins the names of the expected values. The dots keep the names of parameters apart from those of fields. */
const EXPECTED = 'expected.'

/** Whether there is a value of this name. */
function flagOf(name: string): Parameter {
  return { name: `isSet.${name}`, type: 'boolean' }
}

/** What a statement gets of a patch: the values, then their flags. */
export function patchParametersOf({ newFields }: Resource): Parameter[] {
  return [...newFields, ...newFields.map(({ name }) => flagOf(name))]
}

/** The values of these. @param prefix of their names */
export function toPatchValues({ newFields }: Resource, patch: FieldValues, prefix = ''): FieldValues {
  return Object.fromEntries(
    newFields.flatMap(({ name }) => [
      [`${prefix}${name}`, patch[name]],
      [flagOf(`${prefix}${name}`).name, patch[name] !== undefined],
    ]),
  )
}

/** SET: a field that the patch does not have keeps its value. @param read a value or a flag of the patch as SQL */
export function setFields({ newFields }: Resource, read: (parameter: Parameter) => SQL): SQL {
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
  const isAsExpected = newFields.map(({ name, type, column }) => {
    const expected = { name: `${EXPECTED}${name}`, type }
    return sql` and (not ${placeholderOf(flagOf(expected.name))} or ${column} is not distinct from ${placeholderOf(expected)})`
  })
  return sql`${id.column} = ${placeholderOf(id)}${sql.join(isAsExpected)}`
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
