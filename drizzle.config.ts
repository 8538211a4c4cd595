/** For `npm run migration`. */
export default {
  dialect: 'postgresql',
  // The service's own tables, and that of each resource.
  schema: ['./src/db/postgres/tables.ts', './src/*/table.ts'],
  out: './drizzle',
}
