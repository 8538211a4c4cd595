/** For drizzle-kit: `npx drizzle-kit generate`, `check`, and with DATABASE_URL `migrate` and `studio`. */
import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  // The service's own tables, and those of each resource.
  schema: ['./src/db/tables.ts', './src/*/*-resource.ts'],
  out: './drizzle',
  dbCredentials: { url: process.env.DATABASE_URL ?? '' },
  // The record that the server keeps, in the schema of its tables.
  migrations: { table: 'pet_store_migrations', schema: 'public' },
})
