/** The SQL of imports and exports, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { join } from 'node:path'
import type { DedicatedConnection } from '../../../src/db/postgres/connections/dedicated-connection.ts'
import { readAll } from '../../../src/transfer/export-items.ts'
import { createImport } from '../../../src/transfer/import-statements.ts'
import { crate, crateResource } from '../../support/crates.ts'
import { recordOnConnection, testSnapshots } from '../support/sql-snapshot.ts'

async function importAll(connection: DedicatedConnection): Promise<void> {
  for (const keepIds of [false, true]) {
    const target = createImport(connection, { resource: crateResource, keepIds })
    await target.prepare()
    await target.insert([{ ...crate, note: 'fragile' }])
    await target.finish()
  }
}

async function exportAll(connection: DedicatedConnection): Promise<void> {
  await Array.fromAsync(readAll(connection, crateResource))
}

/** Counts and lookups find one row. */
const answer = (name: string) => (/^(count|import)/.test(name) ? [['1']] : [])

testSnapshots(join(import.meta.dirname, 'sql'), [
  ['import.sql', () => recordOnConnection(importAll, answer)],
  ['export.sql', () => recordOnConnection(exportAll, answer)],
])
