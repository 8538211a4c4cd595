import { withDedicatedConnections } from './with-database.ts'

/** Applies the migrations, even if MIGRATE_ON_START is false. */
export async function migrate(): Promise<void> {
  await withDedicatedConnections(async () => undefined, { migrates: true })
  console.error('The database is up to date.')
}
