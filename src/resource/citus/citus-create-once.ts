/** The statement of writes/create-once.ts on Citus: for one item. */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statementTemplate } from '../../db/postgres/statement.ts'
import { nextIdOf } from '../fields/ids.ts'
import type { Item, Resource } from '../fields/resource.ts'
import { columnNamesOf, oneItem, placeholderOf, statementName } from '../fields/sql-fragments.ts'
import { claimKeys, type Creation, keyFields, lockKey, toCreationValues } from '../writes/create-once.ts'

/**
 * Builds it. `wanted` reads no table, so the coordinator runs it: the id, the lock and the time come from there.
 * @param returned what its row has of the created item; no row: its key could not be claimed
 */
export function buildCitusCreateOnce<TItem extends Item>(
  resource: Resource<TItem>,
  returned: SQL,
): (creation: Creation<TItem>) => Statement {
  const { words, table, fields, newFields } = resource
  const sentKey = oneItem(Object.values(keyFields))
  const sentItem = oneItem(newFields)
  const wanted = {
    owner: placeholderOf(keyFields.owner),
    key: placeholderOf(keyFields.key),
    fingerprint: placeholderOf(keyFields.fingerprint),
    itemId: sql`id`,
    createdAt: sql`at`,
  }
  const statement = statementTemplate(
    `${statementName('create', words.singular)}Once`,
    sql`
      with wanted as materialized (
        select ${nextIdOf(resource)} as id, now() as at where ${lockKey(wanted)}
      ), claimed (id) as (${claimKeys(wanted, sql`from wanted`)}
      )
      insert into ${table} (${columnNamesOf(fields)})
      select claimed.id, ${sentItem.placeholders} from claimed
      returning ${returned}`,
  )
  return (creation) => {
    const values = toCreationValues(creation)
    return statement.with({ ...sentKey.valuesOf(values), ...sentItem.valuesOf(values) })
  }
}
