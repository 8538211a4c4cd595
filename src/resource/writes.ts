/** Creates, updates and deletes the items of a resource on Postgres; citus-writes.ts does on Citus. */
import { sql, type SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { buildOnce, statementTemplate, nameOf, parameter, queryBuilder } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { claimKeys, type Creation, toCreationArrays } from './idempotency.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  type Field,
  type FieldValues,
  type Item,
  type NewItem,
  nextIdOf,
  parametersOf,
  type Patch,
  type Resource,
  statementName,
  toArrays,
  toText,
  toTexts,
} from './resource.ts'

export interface Writes<One extends Item> {
  /** Creates items, all or none. @returns their ids, in order */
  create(database: Database, items: readonly NewItem<One>[]): Promise<(string | null)[]>
  /** Creates each item if its idempotency key can be claimed; no two have the same key. @returns their ids, in order; null: not created */
  createOnce(database: Database, creations: readonly Creation<One>[]): Promise<(string | null)[]>
  /** @param patch has a field at least @returns null if no item has the id and is as expected */
  update(requestData: RequestData, id: string, patch: Patch<One>, expected: Patch<One>): Promise<One | null>
  /** @returns the item as it was; null if no item has the id and is as expected */
  delete(requestData: RequestData, id: string, expected: Patch<One>): Promise<One | null>
}

export function createWrites<One extends Item>(resource: Resource<One>): Writes<One> {
  const { words, table, columns, id, fields, newFields, readRow } = resource
  const create = statementTemplate<string>(
    statementName('create', words.many),
    sql`
      with numbered as materialized (
        select number, ${nextIdOf(resource)} as ${nameOf(id.column)}, ${columnNamesOf(newFields)}
        from unnest(${arrayParametersOf(newFields)}) with ordinality as request (${columnNamesOf(newFields)}, number)
      ), created as (
        insert into ${table} (${columnNamesOf(fields)}) select ${columnNamesOf(fields)} from numbered
      )
      select ${nameOf(id.column)} from numbered order by number`,
  )
  const createOnce = statementTemplate<string>(
    `${statementName('create', words.many)}Once`,
    sql`
      with ${claimKeys(resource)}, created as (
        insert into ${table} (${columnNamesOf(fields)})
        select ${columnNamesOf(fields)} from requested where ${nameOf(id.column)} in (select claimed.id from claimed)
      )
      select claimed.id from requested left join claimed on claimed.id = requested.${nameOf(id.column)} order by "idempotency.number"`,
  )
  const update = keepUnconditional((updated, expected) =>
    statementTemplate<string>(
      statementName('update', words.one),
      queryBuilder
        .update(table)
        .set(Object.fromEntries(updated.map(({ name }) => [name, sql.placeholder(name)])))
        .where(whereItem(resource, expected))
        .returning(columns),
      { prepare: expected.length === 0 },
    ),
  )
  const deleteItem = keepUnconditional((_, expected) =>
    statementTemplate<string>(
      statementName('delete', words.one),
      queryBuilder.delete(table).where(whereItem(resource, expected)).returning(columns),
      { prepare: expected.length === 0 },
    ),
  )
  return {
    async create(database, items) {
      const statement = create.with(toArrays(newFields, items))
      const rows = await database.query(statement, { callers: items.length })
      return rows.map(([id = null]) => id)
    },
    async createOnce(database, creations) {
      const statement = createOnce.with(toCreationArrays(resource, creations))
      const rows = await database.query(statement, { callers: creations.length })
      return rows.map(([id = null]) => id)
    },
    async update(requestData, id, patch, expected) {
      const updated = givenFields(resource, patch)
      const compared = givenFields(resource, expected)
      const values = { ...toTexts(updated, patch), ...toItemParameters(compared, id, expected) }
      const [row] = await requestData.query(update(updated, compared).with(values))
      return row ? readRow(row) : null
    },
    async delete(requestData, id, expected) {
      const compared = givenFields(resource, expected)
      const [row] = await requestData.query(
        deleteItem([], compared).with(toItemParameters(compared, id, expected)),
      )
      return row ? readRow(row) : null
    },
  }
}

/** The fields that a patch has. */
export function givenFields({ newFields }: Resource, patch: FieldValues): Field[] {
  return newFields.filter(({ name }) => patch[name] !== undefined)
}

/**
 * The template of a write, by the fields that it updates and those that it compares. One that compares any is rare and has many forms, so
 * it is built each time.
 */
export function keepUnconditional<Template>(
  build: (updated: readonly Field[], expected: readonly Field[]) => Template,
): (updated: readonly Field[], expected: readonly Field[]) => Template {
  const known = buildOnce(
    (updated: readonly Field[]) => updated.map(({ name }) => name).join(),
    (updated) => build(updated, []),
  )
  return (updated, expected) => (expected.length === 0 ? known(updated) : build(updated, expected))
}

/**
 * Finds the item to write: by its id, and by the values that it is expected to have. Postgres compares them again after it has waited for
 * another write of the item.
 */
export function whereItem({ id }: Resource, expected: readonly Field[]): SQL {
  const isAsExpected = expected.map(
    ({ column, name, type }) =>
      sql` and ${column} is not distinct from ${parameter(`expected.${name}`, type)}`,
  )
  return sql`${id.column} = ${parametersOf([id])}${sql.join(isAsExpected)}`
}

/** The parameters of `whereItem`. */
export function toItemParameters(expected: readonly Field[], id: string, values: FieldValues) {
  return {
    id,
    ...Object.fromEntries(expected.map(({ name }) => [`expected.${name}`, toText(values[name])])),
  }
}
