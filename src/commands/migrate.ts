import { withDedicatedConnections } from './database/with-database.ts'

/** Applies the migrations, even if MIGRATE_ON_START is false. */
export async function migrate(): Promise<void> {
  // To be open, a database must have been migrated.
  await withDedicatedConnections(async () => console.error('The database is up to date.'), { migrates: true })
}
