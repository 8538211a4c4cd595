import { sql } from 'drizzle-orm'
import { pets } from '../tables.ts'

/**
 * The column with the name key of a pet, which only a distributed table has. Citus (13.2) loses one of the two collations of the
 * expression in a query for several shards, so that the indexes would not be used and letters other than a to z would not be found.
 */
export const NAME_KEY_COLUMN = 'name_key'
export const STORED_NAME_KEY = sql`${pets}.${sql.identifier(NAME_KEY_COLUMN)}`
