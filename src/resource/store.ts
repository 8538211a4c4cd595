/** Finds, creates, updates and deletes the items of a resource. */
import { getTableName, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { ServiceError } from '../base/service-error.ts'
import type { Database } from '../db/database.ts'
import type { RowEvent, RowState } from '../db/events/row-event.ts'
import { createBatch } from '../db/postgres/batch.ts'
import type { Queryable } from '../db/postgres/pool.ts'
import { buildStatement, parameter, type Statement, type TextRow } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { type Dialect, dialectOf, inBothDialects } from './dialect.ts'
import { buildInsertOnce, fingerprintOf, type Idempotency, selectUsed } from './idempotency.ts'
import {
  columnsOf,
  type FieldValues,
  type Item,
  type NewItem,
  type Patch,
  type Resource,
  statementName,
  toTexts,
} from './resource.ts'
import { createWrites, toItemParameters } from './writes.ts'

export class Store<One extends Item> {
  readonly #resource: Resource<One>
  readonly #table: string
  readonly #writesFor: (database: Database) => ReturnType<typeof buildWrites>
  readonly #findInBatch: (database: Queryable, id: string) => Promise<One | null>
  readonly #createInBatch: (database: Database, item: NewItem<One>) => Promise<Created<One>>

  constructor(resource: Resource<One>) {
    this.#resource = resource
    this.#table = getTableName(resource.table)
    this.#writesFor = inBothDialects(resource, (dialect) => buildWrites(resource, dialect))
    const { words, fields, table, id: idField } = resource
    const selectByIds = buildStatement<'ids'>(
      statementName('find', words.many),
      sql`select ${columnsOf(fields)} from ${table} where ${idField.column} = any(${parameter('ids', 'bigint[]')})`,
    )
    this.#findInBatch = createBatch<string, One | null>(async (database, ids) => {
      const statement = selectByIds.with({ ids: makePgArray([...ids]) })
      const rows = await database.query(statement, { callers: ids.length })
      const found = new Map(rows.map((row) => [row[0], resource.readRow(row)]))
      return ids.map((id) => found.get(id) ?? null)
    })
    this.#createInBatch = createBatch<NewItem<One>, Created<One>, Database>(
      async (database, items) => {
        const rows = await this.#writesFor(database).insert(database, items)
        // Otherwise, items would get each other's ids.
        if (rows.length !== items.length)
          throw new Error(`${items.length} rows were created, not ${rows.length}`)
        return items.map((item, index) => toCreated(item, rows[index]))
      },
      // A second one would wait in Postgres: transactions that notify commit one after the other. So calls wait longer than a commit on
      // a slow disk takes, but not as long as for a lost connection.
      { maxRunning: 1, maxWait: 50 },
    )
  }

  /** @returns null if no item has the id */
  async find({ target }: RequestData, id: string): Promise<One | null> {
    const item = await this.#findInBatch(target, id)
    return item
  }

  /** Creates an item, which is committed when this resolves. */
  async create({ database }: Pick<RequestData, 'database'>, item: NewItem<One>): Promise<One> {
    const creating = this.#createInBatch(database, item)
    const created = await this.#announce(database, creating, (created) => [this.#toCreation(created)])
    return created.item
  }

  /**
   * Creates an item once: a request with the same key and the same item gets the first answer again.
   * @throws ServiceError IDEMPOTENCY_KEY_REUSED for a different item; IDEMPOTENCY_KEY_IN_USE while the first request is in flight
   */
  async createOnce(requestData: RequestData, item: NewItem<One>, idempotency: Idempotency): Promise<One> {
    const { database } = requestData
    const fingerprint = fingerprintOf(this.#resource, item)
    const used = { 'idempotency.owner': idempotency.owner, 'idempotency.key': idempotency.key }
    const values = {
      ...toTexts(this.#resource.newFields, item),
      ...used,
      'idempotency.fingerprint': fingerprint,
    }
    const creating = requestData.query(this.#writesFor(database).insertOnce.with(values))
    const [row] = await this.#announce(database, creating, (rows) =>
      rows.map((row) => this.#toCreation(toCreated(item, row))),
    )
    dialectOf(database, this.#resource).cleanUp(database)
    if (row) return toCreated(item, row).item

    const [[first, firstId] = []] = await requestData.query(selectUsed.with(used))
    if (first == null || firstId == null) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')
    if (first !== fingerprint) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
    return toCreated(item, [firstId]).item
  }

  /**
   * @param expected the values that the item must have now; an absent field is not compared
   * @returns the updated item; null if none has the id
   * @throws ServiceError CONFLICT that names the fields with other values; nothing has been changed
   */
  async update(
    requestData: RequestData,
    id: string,
    patch: Patch<One>,
    expected: Patch<One> = {},
  ): Promise<One | null> {
    const values: FieldValues = patch
    const updated = this.#resource.newFields.filter(({ name }) => values[name] !== undefined)
    // An UPDATE that sets nothing is not valid SQL.
    if (updated.length === 0) {
      const item = await this.find(requestData, id)
      if (item && this.#findDifferences(item, expected).length > 0) throw this.#createConflict(item, expected)
      return item
    }
    const statement = this.#writesFor(requestData.database)
      .update({ fields: updated, isConditional: isAnyExpected(expected) })
      .with({ ...toTexts(updated, values), ...toItemParameters(this.#resource, id, expected) })
    return this.#write(requestData, id, expected, 'updated', statement)
  }

  /** @param expected as in update @returns the item as it was; null if none has the id @throws as update */
  delete(requestData: RequestData, id: string, expected: Patch<One> = {}): Promise<One | null> {
    const statement = this.#writesFor(requestData.database)
      .delete(isAnyExpected(expected))
      .with(toItemParameters(this.#resource, id, expected))
    return this.#write(requestData, id, expected, 'deleted', statement)
  }

  /** Writes one item, and says why if that changed nothing. @throws ServiceError CONFLICT unless there is no such item */
  async #write(
    requestData: RequestData,
    id: string,
    expected: Patch<One>,
    kind: 'updated' | 'deleted',
    statement: Statement,
  ): Promise<One | null> {
    const { fields, keys, readRow } = this.#resource
    const width = fields.length + keys.length
    const [row] = await this.#announce(requestData.database, requestData.query(statement), (rows) =>
      rows.map((row) => ({
        table: this.#table,
        kind,
        row: this.#toRow(readRow(row), row.slice(fields.length)),
        before:
          kind === 'updated' ? this.#toRow(readRow(row, width), row.slice(width + fields.length)) : null,
      })),
    )
    if (row) return readRow(row)
    const item = isAnyExpected(expected) ? await this.find(requestData, id) : null
    if (item) throw this.#createConflict(item, expected)
    return null
  }

  /** Ensures that the subscribers of all servers learn of a write: triggers tell them, except on Citus. */
  #announce<Result>(
    { announcer }: Database,
    writing: Promise<Result>,
    toEvents: (result: Result) => RowEvent[],
  ): Promise<Result> {
    const { hasEvents, isDistributed } = this.#resource
    return announcer && hasEvents && isDistributed ? announcer.announce(writing, toEvents) : writing
  }

  #toCreation({ item, sortKeys }: Created<One>): RowEvent {
    return { table: this.#table, kind: 'created', row: this.#toRow(item, sortKeys), before: null }
  }

  #toRow(item: One, sortKeys: TextRow): RowState {
    const { fields, keys } = this.#resource
    return Object.fromEntries([
      ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
      ...keys.map(({ name }, index) => [name, sortKeys[index] ?? null] as const),
    ])
  }

  #findDifferences(item: Item, expected: FieldValues): string[] {
    const names = this.#resource.newFields.map(({ name }) => name)
    return names.filter((name) => expected[name] !== undefined && expected[name] !== item[name])
  }

  #createConflict(item: One, expected: Patch<One>): ServiceError {
    const names = this.#findDifferences(item, expected)
    const problems = names.map((name) => ({
      argument: `expected.${name}`,
      message: `${name} is not as expected.`,
    }))
    const reason =
      names.length > 0
        ? `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not as expected.`
        : 'it was not as expected. Another write has changed it since: try again.'
    const message = `The ${this.#resource.words.one} was not changed, because ${reason}`
    return new ServiceError('CONFLICT', message, { problems })
  }
}

function buildWrites(resource: Resource, dialect: Dialect) {
  return {
    ...createWrites(resource, dialect),
    insertOnce: buildInsertOnce(resource, dialect.claimKey(resource)),
  }
}

/** An item that has been created, and its sort keys, if the statement returns them. */
interface Created<One> {
  item: One
  sortKeys: TextRow
}

function toCreated<One extends Item>(item: NewItem<One>, [id, ...sortKeys]: TextRow = []): Created<One> {
  if (id == null) throw new Error('A created row has no id')
  // NewItem is everything but the id.
  return { item: { id, ...item } as unknown as One, sortKeys }
}

function isAnyExpected(expected: FieldValues): boolean {
  return Object.values(expected).some((value) => value !== undefined)
}
