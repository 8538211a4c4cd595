import { withDatabase } from './with-database.ts'

/** Brings the tables up to date, also where MIGRATE_ON_START leaves that to this command. */
export async function migrate(): Promise<void> {
  await withDatabase(async () => Promise.resolve(), { migrates: true })
  console.error('The database is up to date.')
}
