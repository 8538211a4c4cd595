/** Finds, creates, updates and deletes the items of a resource. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { ServiceError } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import type { RowChange } from '../db/events/change-feed.ts'
import { createBatch } from '../db/postgres/batch.ts'
import { buildStatement, parameter } from '../db/postgres/statement.ts'
import type { Session } from '../db/session.ts'
import { createWritesOnCitus } from './on-citus.ts'
import {
  columnsOf,
  type Item,
  type NewItem,
  type Patch,
  type Resource,
  statementName,
  textBytesOf,
  toTexts,
  type Value,
} from './resource.ts'
import { createWrites, selectUsed, toItemParameters, whereItem, type Writes } from './writes.ts'

export interface Store<One extends Item> {
  /** @returns null if no item has the id */
  find: (session: Session, id: string) => Promise<One | null>
  /** Creates an item, which is committed when this resolves. */
  create: (session: Pick<Session, 'database'>, item: NewItem<One>) => Promise<One>
  /**
   * Creates an item once: a request with the same key and the same item gets the first answer again.
   * @throws ServiceError IDEMPOTENCY_KEY_REUSED for a different item; IDEMPOTENCY_KEY_IN_USE while the first request is in flight
   */
  createOnce: (session: Session, item: NewItem<One>, idempotency: Idempotency) => Promise<One>
  /**
   * @param expected the values that the item must have now; an absent field is not compared
   * @returns the updated item; null if none has the id
   * @throws ServiceError CONFLICT that names the fields with other values; nothing has been changed
   */
  update: (session: Session, id: string, patch: Patch<One>, expected?: Patch<One>) => Promise<One | null>
  /** @param expected as in update @returns the item as it was; null if none has the id @throws as update */
  delete: (session: Session, id: string, expected?: Patch<One>) => Promise<One | null>
}

/** Identifies one creation, even if it is requested several times. */
export interface Idempotency {
  /** The name of the API key, since idempotency keys of different clients are unrelated. */
  owner: string
  key: string
}

export function createStore<One extends Item>(resource: Resource<One>): Store<One> {
  const onPostgres = createWrites(resource)
  const onCitus = createWritesOnCitus(resource)
  const writesFor = (database: Database) => (database.isDistributed ? onCitus : onPostgres)
  const find = createFind(resource)
  return {
    find,
    create: createCreate(resource, writesFor),
    createOnce: createCreateOnce(resource, writesFor),
    update: createUpdate(resource, writesFor, find),
    delete: createDelete(resource, find),
  }
}

type WritesFor = (database: Database) => Writes

function createFind<One extends Item>(resource: Resource<One>): Store<One>['find'] {
  const { words, fields, table, id: idField } = resource
  const selectByIds = buildStatement<'ids'>(
    statementName('find', words.many),
    sql`select ${columnsOf(fields)} from ${table} where ${idField.column} = any(${parameter('ids', 'bigint[]')})`,
  )
  const findInBatch = createBatch<string, One | null>(async (database, ids) => {
    const rows = await database.query(selectByIds.with({ ids: makePgArray([...ids]) }), {
      callers: ids.length,
    })
    const found = new Map(rows.map((row) => [row[0], resource.readRow(row)]))
    return ids.map((id) => found.get(id) ?? null)
  })
  return async ({ queryable, memory }, id) => {
    const item = await findInBatch(queryable, id)
    if (item) memory.holdData(textBytesOf(resource, item))
    return item
  }
}

function createCreate<One extends Item>(resource: Resource<One>, writesFor: WritesFor): Store<One>['create'] {
  const createInBatch = createBatch<NewItem<One>, One, Database>(async (database, items) => {
    const rows = await writesFor(database).insert(database.readers.writer, items)
    // Otherwise, items would get ids of others.
    if (rows.length !== items.length) throw new Error(`${items.length} rows were created, not ${rows.length}`)
    return items.map((item, index) => withId(item, rows[index]?.[0]))
  })
  return ({ database }, item) =>
    announce(resource, database, createInBatch(database, item), (created) => [
      { kind: 'created', item: created, before: null },
    ])
}

function withId<One extends Item>(item: NewItem<One>, id: string | null | undefined): One {
  if (id == null) throw new Error('A created row has no id')
  // NewItem is everything but the id.
  return { id, ...item } as unknown as One
}

function createCreateOnce<One extends Item>(
  resource: Resource<One>,
  writesFor: WritesFor,
): Store<One>['createOnce'] {
  return async (session, item, idempotency) => {
    const values = {
      ...idempotency,
      ...toTexts(resource.newFields, item),
      fingerprint: fingerprintOf(resource, item),
    }
    const creating = session.query(writesFor(session.database).insertOnce.with(values))
    const [[id] = []] = await announce(resource, session.database, creating, ([row]) =>
      row?.[0] == null ? [] : [{ kind: 'created', item: withId(item, row[0]), before: null }],
    )
    if (id != null) return withId(item, id)

    const [[first, firstId] = []] = await session.query(selectUsed.with(idempotency))
    if (first == null || firstId == null) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')
    if (first !== values.fingerprint) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
    return withId(item, firstId)
  }
}

/** A later field counts only if it is set: otherwise a retry across an upgrade would seem to be another creation. */
export function fingerprintOf<One extends Item>(
  { words, newFields, hasOldFingerprints }: Resource<One>,
  item: NewItem<One>,
): string {
  const values: Readonly<Record<string, Value>> = item
  const first = newFields.filter(({ isLater }) => !isLater).map(({ name }) => values[name])
  const later = newFields
    .filter(({ isLater, name, default: absent }) => isLater && values[name] !== absent)
    .map(({ name }) => [name, values[name]])
  return createHash('sha256')
    .update(JSON.stringify([...(hasOldFingerprints ? [] : [words.one]), ...first, ...later]))
    .digest('base64url')
}

function createUpdate<One extends Item>(
  resource: Resource<One>,
  writesFor: WritesFor,
  find: Store<One>['find'],
): Store<One>['update'] {
  const { fields, newFields, readRow } = resource
  return async (session, id, patch, expected = {}) => {
    const values: Readonly<Record<string, Value | undefined>> = patch
    const updated = newFields.filter(({ name }) => values[name] !== undefined)
    // An UPDATE that sets nothing is not valid SQL.
    if (updated.length === 0) {
      const item = await find(session, id)
      if (item && findDifferences(item, expected).length > 0) throw createConflict(resource, item, expected)
      return item
    }
    const isConditional = isAnyExpected(expected)
    const statement = writesFor(session.database)
      .update({ fields: updated, isConditional })
      .with({ ...toTexts(updated, values), ...toItemParameters(resource, id, expected) })
    const [row] = await announce(resource, session.database, session.query(statement), (rows) =>
      rows.map((row) => ({ kind: 'updated', item: readRow(row), before: readRow(row, fields.length) })),
    )
    if (row) return readRow(row)
    if (isConditional) await throwIfPresent(resource, find, session, id, expected)
    return null
  }
}

function createDelete<One extends Item>(
  resource: Resource<One>,
  find: Store<One>['find'],
): Store<One>['delete'] {
  const { words, table, fields, readRow } = resource
  const buildDelete = (isConditional: boolean) =>
    buildStatement<string>(
      statementName('delete', words.one),
      sql`delete from ${table} where ${whereItem(resource, isConditional)} returning ${columnsOf(fields)}`,
      { writes: true },
    )
  const deleteItem = buildDelete(false)
  const deleteExpected = buildDelete(true)
  return async (session, id, expected = {}) => {
    const isConditional = isAnyExpected(expected)
    const statement = (isConditional ? deleteExpected : deleteItem).with(
      toItemParameters(resource, id, expected),
    )
    const [row] = await announce(resource, session.database, session.query(statement), (rows) =>
      rows.map((row) => ({ kind: 'deleted', item: readRow(row), before: null })),
    )
    if (row) return readRow(row)
    if (isConditional) await throwIfPresent(resource, find, session, id, expected)
    return null
  }
}

function isAnyExpected(expected: Readonly<Record<string, Value | undefined>>): boolean {
  return Object.values(expected).some((value) => value !== undefined)
}

/** The names of the fields that have other values than expected. */
function findDifferences(item: Item, expected: Readonly<Record<string, Value | undefined>>): string[] {
  return Object.keys(expected).filter((name) => expected[name] !== undefined && expected[name] !== item[name])
}

/** Says why a conditional write changed nothing. @throws ServiceError CONFLICT unless there is no such item */
async function throwIfPresent<One extends Item>(
  resource: Resource<One>,
  find: Store<One>['find'],
  session: Session,
  id: string,
  expected: Patch<One>,
): Promise<void> {
  const item = await find(session, id)
  if (item) throw createConflict(resource, item, expected)
}

function createConflict({ words }: Resource, item: Item, expected: Patch<Item>): ServiceError {
  const names = findDifferences(item, expected)
  const problems = names.map((name) => ({
    argument: `expected.${name}`,
    message: `${name} is not as expected.`,
  }))
  // Without a difference, another write has changed the item back since.
  const subject = `${names.join(' and ') || 'it'} ${names.length > 1 ? 'are' : 'is'}`
  return new ServiceError(
    'CONFLICT',
    `The ${words.one} was not changed, because ${subject} not as expected.`,
    { problems },
  )
}

/** What a write did to one item. */
interface ItemChange<One extends Item> {
  kind: RowChange['kind']
  /** As it is now or, if it was deleted, as it was. */
  item: One
  /** As it was before an update. */
  before: One | null
}

/** Ensures that the subscribers of all servers learn of a write: triggers tell them, except on Citus. */
function announce<One extends Item, Result>(
  resource: Resource<One>,
  { announcer }: Database,
  writing: Promise<Result>,
  toChanges: (result: Result) => ItemChange<One>[],
): Promise<Result> {
  if (!announcer || !resource.hasEvents) return writing
  const toRow = (item: One) =>
    Object.fromEntries(resource.fields.map(({ name, column }) => [column.name, item[name] ?? null]))
  return announcer.announce(writing, (result) =>
    toChanges(result).map(({ kind, item, before }) => ({
      kind,
      row: toRow(item),
      before: before && toRow(before),
    })),
  )
}
