import { sql } from 'drizzle-orm'
import type { StatementTarget } from './statement-target.ts'
import { isMissingPrivilege } from './postgres-errors.ts'
import { fixedStatement } from './statement.ts'

/** Names the cluster and the database in it, whatever URL leads there. */
export const databaseIdentity = sql`(
  select system_identifier || '.' || oid from pg_control_system(), pg_database where datname = current_database()
)`

const identityStatement = fixedStatement('readIdentity', sql`select ${databaseIdentity}`)

/** @returns null if the user may not ask: some providers revoke the function @throws as `query` */
export async function readIdentity(connection: StatementTarget): Promise<string | null> {
  try {
    const [row] = await connection.query(identityStatement)
    return row?.[0] ?? null
  } catch (error) {
    if (isMissingPrivilege(error)) return null
    throw error
  }
}
