/** Creates, updates and deletes the items of a resource on Postgres; citus-writes.ts does on Citus. */
import { sql, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../db/database.ts'
import type { RowEvent } from '../db/events/event-notifications.ts'
import {
  nameOf,
  parameter,
  queryBuilder,
  statementTemplate,
  type StatementTemplate,
  type TextRow,
} from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { claimKeys, type Creation, keyFields, toCreationValues } from './idempotency.ts'
import {
  type Field,
  type FieldValues,
  type Item,
  type NewItem,
  type Patch,
  type Resource,
  statementName,
} from './resource.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  join,
  nextIdOf,
  parametersOf,
  toArrays,
  toSqlParameter,
  toSqlParameters,
} from './sql-fragments.ts'

export interface Update<TItem extends Item> {
  id: string
  patch: Patch<TItem>
}

export interface Writes<TItem extends Item> {
  /** Creates items, all or none. @returns their ids, in order */
  create(database: Database, items: readonly NewItem<TItem>[]): Promise<(string | null)[]>
  /** Creates each item if its idempotency key can be claimed; no two have the same key. @returns their ids, in order; null: not created */
  createOnce(database: Database, creations: readonly Creation<TItem>[]): Promise<(string | null)[]>
  /**
   * Updates several items, whatever their values. One that another transaction is writing is left out: nothing waits, so no item can hold
   * up the others, and there are no deadlocks.
   * @param updates no two of one item @returns the items that were updated
   */
  updateMany(database: Database, updates: readonly Update<TItem>[]): Promise<TItem[]>
  /** @param patch has a field at least @returns null if no item has the id and is as expected */
  update(
    requestData: RequestData,
    id: string,
    patch: Patch<TItem>,
    expected: Patch<TItem>,
  ): Promise<TItem | null>
  /** @returns the item as it was; null if no item has the id and is as expected */
  delete(requestData: RequestData, id: string, expected: Patch<TItem>): Promise<TItem | null>
}

export function createWrites<TItem extends Item>(resource: Resource<TItem>): Writes<TItem> {
  const { words, table, columns, id, fields, newFields, readRow } = resource
  const create = statementTemplate(
    statementName('create', words.plural),
    sql`
      with numbered as materialized (
        select number, ${nextIdOf(resource)} as ${nameOf(id.column)}, ${columnNamesOf(newFields)}
        from unnest(${arrayParametersOf(newFields)}) with ordinality as request (${columnNamesOf(newFields)}, number)
      ), created as (
        insert into ${table} (${columnNamesOf(fields)}) select ${columnNamesOf(fields)} from numbered
      )
      select ${nameOf(id.column)} from numbered order by number`,
  )
  const createOnce = statementTemplate(
    `${statementName('create', words.plural)}Once`,
    sql`
      with ${claimKeys(resource)}, created as (
        insert into ${table} (${columnNamesOf(fields)})
        select ${columnNamesOf(fields)} from requested where ${nameOf(id.column)} in (select claimed.id from claimed)
      )
      select claimed.id from requested left join claimed on claimed.id = requested.${nameOf(id.column)} order by "idempotency.number"`,
  )
  const updateMany = buildUpdateMany(resource)
  const sentFields = {
    createOnce: [...keyFields, ...newFields],
    updateMany: [...fields, ...presenceFlags(resource)],
  }
  const buildUpdate = (updated: readonly Field[], expected: readonly Field[]) =>
    statementTemplate(
      statementName('update', words.singular),
      queryBuilder
        .update(table)
        .set(Object.fromEntries(updated.map(({ name }) => [name, sql.placeholder(name)])))
        .where(whereItem(resource, expected))
        .returning(columns),
      { prepare: mayPrepare(expected) },
    )
  return {
    async create(database, items) {
      const statement = create.with(toArrays(newFields, items))
      const rows = await database.query(statement, { callers: items.length })
      return rows.map(([id = null]) => id)
    },
    async createOnce(database, creations) {
      const values = toArrays(sentFields.createOnce, creations.map(toCreationValues))
      const rows = await database.query(createOnce.with(values), { callers: creations.length })
      return rows.map(([id = null]) => id)
    },
    async updateMany(database, updates) {
      const requested = updates.map((update) => toUpdateValues(resource, update))
      const values = toArrays(sentFields.updateMany, requested)
      const rows = await database.query(updateMany.with(values), { callers: updates.length })
      return rows.map(readRow)
    },
    ...createSingleWrites(resource, buildUpdate, columns),
  }
}

/** Announces what a write of Citus has done; triggers do elsewhere. */
export type Announce = (
  database: Database,
  kind: RowEvent['kind'],
  writing: Promise<TextRow[]>,
) => Promise<TextRow[]>

/**
 * Updates and deletes one item at a time.
 * @param buildUpdate returns the columns of the fields first, as do deletions @param returned what deletions return
 */
export function createSingleWrites<TItem extends Item>(
  resource: Resource<TItem>,
  buildUpdate: (updated: readonly Field[], expected: readonly Field[]) => StatementTemplate,
  returned: Readonly<Record<string, PgColumn>>,
  announce: Announce = (_, __, writing) => writing,
): Pick<Writes<TItem>, 'update' | 'delete'> {
  const { words, table, readRow } = resource
  const buildDelete = (expected: readonly Field[]) =>
    statementTemplate(
      statementName('delete', words.singular),
      queryBuilder.delete(table).where(whereItem(resource, expected)).returning(returned),
      { prepare: mayPrepare(expected) },
    )
  return {
    async update(requestData, id, patch, expected) {
      const updated = presentFields(resource, patch)
      const compared = presentFields(resource, expected)
      const values = { ...toSqlParameters(updated, patch), ...toItemParameters(compared, id, expected) }
      const writing = requestData.query(buildUpdate(updated, compared).with(values))
      const [row] = await announce(requestData.database, 'updated', writing)
      return row ? readRow(row) : null
    },
    async delete(requestData, id, expected) {
      const compared = presentFields(resource, expected)
      const writing = requestData.query(buildDelete(compared).with(toItemParameters(compared, id, expected)))
      const [row] = await announce(requestData.database, 'deleted', writing)
      return row ? readRow(row) : null
    },
  }
}

/** Which of the fields are updated: the values of the others are null, too. The dot keeps the names apart from those of fields. */
const presenceFlags = ({ newFields }: Resource) =>
  newFields.map(({ name }) => ({ name: `${name}.isSet`, type: 'boolean' }))

/**
 * One UPDATE for several items. `locked` locks those that are free, at their newest version, and skips the others, so it never waits.
 */
function buildUpdateMany(resource: Resource) {
  const { words, table, columns, id, fields, newFields } = resource
  const flags = presenceFlags(resource)
  const names = [...fields, ...flags].map(({ name }) => sql`${sql.identifier(name)}`)
  const ofLocked = (name: string) => sql`locked.${sql.identifier(name)}`
  const changes = newFields.map(
    ({ name, column }) =>
      sql`${nameOf(column)} = case when ${ofLocked(`${name}.isSet`)} then ${ofLocked(name)} else ${column} end`,
  )
  return statementTemplate(
    statementName('update', words.plural),
    sql`
      with locked as (
        select request.*
        from unnest(${arrayParametersOf([id, ...newFields, ...flags])}) as request (${join(names)})
        join ${table} on ${id.column} = request.${sql.identifier(id.name)} for no key update of ${table} skip locked
      )
      update ${table} set ${join(changes)} from locked
      where ${id.column} = ${ofLocked(id.name)} returning ${join(Object.values(columns))}`,
  )
}

function toUpdateValues<TItem extends Item>(
  { newFields }: Resource,
  { id, patch }: Update<TItem>,
): FieldValues {
  const values: FieldValues = patch
  const flags = newFields.map(({ name }) => [`${name}.isSet`, values[name] !== undefined] as const)
  return { ...values, ...Object.fromEntries(flags), id }
}

/** The fields that a patch has. */
export function presentFields({ newFields }: Resource, patch: FieldValues): Field[] {
  return newFields.filter(({ name }) => patch[name] !== undefined)
}

/** Whether a write of one item is prepared. Writes that compare values are rare, and have a different text for each set of compared fields. */
export function mayPrepare(expected: readonly Field[]): boolean {
  return expected.length === 0
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
function toItemParameters(expected: readonly Field[], id: string, values: FieldValues) {
  return {
    id,
    ...Object.fromEntries(expected.map(({ name }) => [`expected.${name}`, toSqlParameter(values[name])])),
  }
}
