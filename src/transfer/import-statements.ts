/** What an import asks the database to do. */
import { getTableName, sql } from 'drizzle-orm'
import { MAX_INT64 } from '../base/int64.ts'
import { requireNotNull } from '../base/not-null.ts'
import { resetSubscriptions } from '../db/events/event-notifications.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { limitLockWait } from '../db/postgres/lock-wait.ts'
import { fixedStatement, statementTemplate } from '../db/postgres/statement.ts'
import type { Value } from '../resource/fields/field-type.ts'
import type { Resource } from '../resource/fields/resource.ts'
import {
  arrayPlaceholdersOf,
  columnNamesOf,
  skipTakenIds,
  statementName,
  toArrays,
} from '../resource/fields/sql-fragments.ts'

/** The greatest id that an import keeps. New ids continue after it, so it leaves a million million of them. */
export const MAX_KEPT_ID = MAX_INT64 - 10n ** 12n

/** An item of a file. Without an id, it gets a new one. */
export type ImportedItem = Readonly<Record<string, Value>> & { id: string | null }

/**
 * The statements of an import, which are run in one transaction.
 * @param keepsIds whether the items keep the ids that they have in the file
 */
export function createImport(connection: DedicatedConnection, resource: Resource, keepsIds: boolean) {
  const { words, table, fields, newFields, id } = resource
  const inserted = keepsIds ? fields : newFields
  // An item whose id is taken is skipped, and its id is not returned.
  const conflicts = keepsIds ? sql`on conflict do nothing` : sql``
  // Not COPY, which the socket of the embedded database does not support.
  const insert = statementTemplate(
    `${statementName('import', words.plural)}${keepsIds ? 'WithIds' : ''}`,
    sql`
      insert into ${table} (${columnNamesOf(inserted)})
      select * from unnest(${arrayPlaceholdersOf(inserted)}) ${conflicts} returning ${id.column}`,
  )

  /** Other writes wait until the end: a creation could draw an id of the file. Reads continue. */
  async function lockWrites(): Promise<void> {
    await connection.query(limitLockWait)
    const lock = sql`lock table ${table} in share row exclusive mode`
    await connection.query(fixedStatement('lockForImport', lock))
  }

  return {
    /** @throws DatabaseFailure LOCK_NOT_AVAILABLE if another transaction is writing to the table */
    async begin(): Promise<void> {
      // A single notification ends all subscriptions, instead of one for each of many items.
      await connection.db.execute(sql`select set_config('pet_store.silent', 'on', true)`)
      await connection.query(resetSubscriptions([getTableName(table)]))
      if (keepsIds) await lockWrites()
      else await skipTakenIds(connection, resource)
    },
    /** @returns the ids of those that were created */
    async insert(items: readonly ImportedItem[]): Promise<string[]> {
      const rows = await connection.query(insert.with(toArrays(inserted, items)))
      return rows.map(([created]) => requireNotNull(created, 'An id'))
    },
    async end(): Promise<void> {
      if (keepsIds) await skipTakenIds(connection, resource)
    },
  }
}
