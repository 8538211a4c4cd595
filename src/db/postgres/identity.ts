import { sql } from 'drizzle-orm'
import { fixedStatement } from './statement.ts'

/** Names the cluster and the database in it, whatever URL leads there. */
export const databaseIdentity = sql`(
  select system_identifier || '.' || oid from pg_control_system(), pg_database where datname = current_database()
)`

export const identityStatement = fixedStatement('readIdentity', sql`select ${databaseIdentity}`)
