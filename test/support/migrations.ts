/** The migrations of a database, and those of a later version. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { onTestFinished } from 'vitest'
import { createDirectory } from './temporary.ts'
import { ROOT } from './process.ts'

interface Journal {
  entries: { idx: number; version: string; tag: string; when: number; breakpoints: boolean }[]
}
const journal = JSON.parse(readFileSync(join(ROOT, 'drizzle', 'meta', '_journal.json'), 'utf8')) as Journal

/** How often each migration has been applied to a database, by its name. */
export async function countApplied(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ when: string }[]>`select created_at::text as when from pet_store_migrations`
  return Object.fromEntries(
    journal.entries.map(({ tag, when }) => [tag, rows.filter((row) => row.when === String(when)).length]),
  )
}

/** Each migration has been applied once. */
export const APPLIED_ONCE = Object.fromEntries(journal.entries.map(({ tag }) => [tag, 1]))

/** @returns a folder with all migrations and a later one */
export function addMigration(statements: string): string {
  const directory = createDirectory()
  onTestFinished(() => directory.remove())
  const folder = directory.path
  cpSync(join(ROOT, 'drizzle'), folder, { recursive: true })
  const tag = '9999_later'
  const [last] = journal.entries.slice(-1)
  if (!last) throw new Error('There is no migration')
  const entries = [...journal.entries, { ...last, idx: last.idx + 1, tag, when: last.when + 1 }]
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }))
  writeFileSync(join(folder, `${tag}.sql`), statements)
  return folder
}
