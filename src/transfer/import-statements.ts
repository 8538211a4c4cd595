/** What an import asks the database to do. */
import { getTableName, sql } from 'drizzle-orm'
import { requireNotNull } from '../base/not-null.ts'
import { resetSubscriptions, silenceEvents } from '../db/events/event-notifications.ts'
import type { DedicatedConnection } from '../db/postgres/connections/dedicated-connection.ts'
import { limitLockWait } from '../db/postgres/lock-wait.ts'
import { fixedStatement, statementTemplate } from '../db/postgres/statement.ts'
import { skipTakenIds } from '../resource/fields/ids.ts'
import { columnNamesOf, severalItems, statementName } from '../resource/fields/sql-fragments.ts'
import type { ImportedItem, ReadOptions } from './item-line.ts'

/** @returns the steps of an import, for the transaction of the caller: `prepare`, `insert` for some items at a time, `finish` */
export function createImport(connection: DedicatedConnection, { resource, keepIds }: ReadOptions) {
  const { words, table, fields, newFields, id } = resource
  const inserted = keepIds ? fields : newFields
  const imported = severalItems(inserted)
  // An item whose id is taken is skipped, and its id is not returned.
  const conflicts = keepIds ? sql`on conflict do nothing` : sql``
  // Not COPY, which the socket of the embedded database does not support.
  const insert = statementTemplate(
    `${statementName('import', words.plural)}${keepIds ? 'WithIds' : ''}`,
    sql`
      insert into ${table} (${columnNamesOf(inserted)})
      select * from unnest(${imported.placeholders}) ${conflicts} returning ${id.column}`,
  )

  /** Other writes wait until the end: a creation could draw an id of the file. Reads continue. */
  async function lockWrites(): Promise<void> {
    await connection.query(limitLockWait)
    const lock = sql`lock table ${table} in share row exclusive mode`
    await connection.query(fixedStatement('lockForImport', lock))
  }

  return {
    /** @throws DatabaseServiceError with LOCK_NOT_AVAILABLE if another transaction is writing to the table */
    async prepare(): Promise<void> {
      // A single notification ends all subscriptions, instead of one for each of many items.
      await connection.query(silenceEvents)
      await connection.query(resetSubscriptions([getTableName(table)]))
      if (keepIds) await lockWrites()
      // The ids that the items get must be free.
      else await skipTakenIds(connection, resource)
    },
    /** @returns the ids of those that were created */
    async insert(items: readonly ImportedItem[]): Promise<string[]> {
      const rows = await connection.query(insert.with(imported.valuesOf(items)))
      return rows.map(([created]) => requireNotNull(created, 'An id'))
    },
    async finish(): Promise<void> {
      // Later items get ids after those of the file.
      if (keepIds) await skipTakenIds(connection, resource)
    },
  }
}
