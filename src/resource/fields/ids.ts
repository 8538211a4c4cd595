/** Ids, which Postgres draws from a sequence, and what to do if one is taken: by a row that was not created here, such as that of a replication. */
import { type SQL, sql } from 'drizzle-orm'
import { ServiceError } from '../../base/service-error.ts'
import type { SharedDatabase } from '../../db/database.ts'
import { createDb, type Db } from '../../db/postgres/drizzle.ts'
import { CODES } from '../../db/postgres/error-codes.ts'
import { findDatabaseError } from '../../db/postgres/postgres-errors.ts'
import type { Item, NewItem, Resource } from './resource.ts'

/**
 * Once is not always enough: another server may set the sequence at the same moment; and during a failover, when the name of the host
 * resolves to another server, the next statement runs there.
 */
const MAX_SKIPS = 3

type Table = Pick<Resource, 'table' | 'id' | 'idSequence'>

/** The sequence of the ids: as FROM and as functions need it. */
function sequenceOf({ idSequence }: Table): { name: SQL; text: SQL } {
  return { name: sql.raw(`"${idSequence}"`), text: sql.raw(`'"${idSequence}"'`) }
}

/** Draws an id. */
export function nextIdOf(resource: Table): SQL {
  return sql`nextval(${sequenceOf(resource).text})`
}

/** Whether an id was ever drawn, also if its item has been deleted, or there are items without one that was drawn (skipTakenIds). */
export async function hasHeldItems({ db }: { db: Db }, resource: Table): Promise<boolean> {
  const { name } = sequenceOf(resource)
  const [state] = await db.execute<{ hasHeld: boolean }>(
    sql`select is_called or exists (select from ${resource.table}) as "hasHeld" from ${name}`,
  )
  return state?.hasHeld === true
}

/**
 * Moves the sequence beyond the greatest stored id. If it need not move, it is not set at all: others may be drawing ids, and it must not
 * go back.
 */
export async function skipTakenIds({ db }: { db: Db }, resource: Table): Promise<void> {
  const greatest = sql`(select max(${resource.id.column}) from ${resource.table})`
  const { name, text } = sequenceOf(resource)
  await db.execute(sql`
    select setval(${text}, ${greatest}) from ${name}
    where (${greatest}, true) > (last_value, is_called)`)
}

/**
 * Creates items; if an id that they have drawn is taken, again with others.
 * @param create creates all or none @throws ServiceError DATABASE_UNAVAILABLE if ids are taken each time
 */
export async function withFreeIds<Created>(
  { reserved }: Pick<SharedDatabase, 'reserved'>,
  resource: Table,
  create: () => Promise<Created>,
): Promise<Created> {
  for (let skips = 0; ; skips += 1) {
    try {
      return await create()
    } catch (error) {
      // It has changed nothing, because an id is taken: nothing else is unique (describeResource).
      const isTaken = findDatabaseError(error)?.databaseCode === CODES.UNIQUE_VIOLATION
      if (!isTaken) throw error
      if (skips === MAX_SKIPS) {
        const cause = `${CODES.UNIQUE_VIOLATION}: the next ids are taken`
        throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause })
      }
      await skipTakenIds({ db: createDb(reserved) }, resource)
    }
  }
}

/** The item that has been created. */
export function withId<TItem extends Item>(item: NewItem<TItem>, id: string | undefined): TItem {
  if (id === undefined) throw new Error('A created row has no id')
  // NewItem is everything but the id.
  return { id, ...item } as unknown as TItem
}
