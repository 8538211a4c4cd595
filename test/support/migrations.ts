/** Databases as older versions of the program have left them. */
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type { Sql } from 'postgres'
import { ROOT } from './process.ts'

interface Journal {
  entries: { tag: string; when: number }[]
}
const journal = JSON.parse(readFileSync(join(ROOT, 'drizzle', 'meta', '_journal.json'), 'utf8')) as Journal

/** The names of all migrations, in order. */
export const MIGRATIONS = journal.entries.map(({ tag }) => tag)

/** How often each migration has been applied to a database, by its name. */
export async function countApplied(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<
    { when: string }[]
  >`select created_at::text as when from drizzle.__drizzle_migrations`
  return Object.fromEntries(
    journal.entries.map(({ tag, when }) => [tag, rows.filter((row) => row.when === String(when)).length]),
  )
}

/** Each migration has been applied once. */
export const APPLIED_ONCE = Object.fromEntries(MIGRATIONS.map((tag) => [tag, 1]))

const BREAKPOINT = '--> statement-breakpoint'

/**
 * Applies the first migrations through Drizzle, as the versions up to 1.0 did.
 * @param edit what is changed in the statements of a migration; for a cluster, forCitus
 */
export async function migrateTo(
  count: number,
  sql: Sql,
  edit = (statements: readonly string[]) => statements,
): Promise<void> {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'pet-store-migrations-'))
  const { path } = directory
  mkdirSync(join(path, 'meta'))
  const entries = journal.entries.slice(0, count)
  writeFileSync(join(path, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }))
  for (const { tag } of entries) {
    const statements = readFileSync(join(ROOT, 'drizzle', `${tag}.sql`), 'utf8').split(BREAKPOINT)
    writeFileSync(join(path, `${tag}.sql`), edit(statements).join(BREAKPOINT))
  }
  await migrate(drizzle(sql), { migrationsFolder: path })
}
