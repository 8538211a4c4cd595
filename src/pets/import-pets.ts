/**
 * The SQL of an import: pets are collected in a temporary table, and from there created in one transaction. Collecting uses no
 * transaction: one that waits for a slow source would keep Postgres from cleaning up.
 */
import { sql } from 'drizzle-orm'
import { bigint, makePgArray, pgTable, text } from 'drizzle-orm/pg-core'
import { resetSubscriptions } from '../db/events/change-notifications.ts'
import { nameOf, namesOf, type NewPet, PET_COLUMN_NAMES, requireText } from './pet.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { buildStatement, parameter } from '../db/postgres/statement.ts'
import { pets, petStatus } from '../db/tables.ts'

/** A pet and the number of its line, in digits. Without an id, it gets a new one. */
export type ImportedPet = NewPet & { line: string; id: string | null }

/** Not in tables.ts, because a temporary table belongs to no migration. */
export const imported = pgTable('imported_pets', {
  line: bigint({ mode: 'bigint' }).notNull(),
  id: bigint({ mode: 'bigint' }),
  name: text().notNull(),
  categoryId: bigint('category_id', { mode: 'bigint' }).notNull(),
  status: petStatus(),
})
const importedColumns = namesOf(
  imported.line,
  imported.id,
  imported.name,
  imported.categoryId,
  imported.status,
)

const createTable = buildStatement(
  'createImport',
  sql`
    create temporary table ${imported} as
    select 0::bigint as ${nameOf(imported.line)}, ${pets.id}, ${pets.name}, ${pets.categoryId}, ${pets.status} from ${pets}
    with no data`,
  { prepare: false },
).with({})

export async function beginImport(connection: DedicatedConnection): Promise<void> {
  await connection.query(createTable)
}

const collect = buildStatement<'lines' | 'ids' | 'names' | 'categories' | 'statuses'>(
  'collectPets',
  sql`
    insert into ${imported} (${importedColumns}) select * from unnest(
      ${parameter('lines', 'bigint[]')}, ${parameter('ids', 'bigint[]')}, ${parameter('names', 'text[]')},
      ${parameter('categories', 'bigint[]')}, ${parameter('statuses', `${petStatus.enumName}[]`)}
    )`,
)

export async function collectPets(
  connection: DedicatedConnection,
  batch: readonly ImportedPet[],
): Promise<void> {
  const statement = collect.with({
    lines: makePgArray(batch.map(({ line }) => line)),
    ids: makePgArray(batch.map(({ id }) => id)),
    names: makePgArray(batch.map(({ name }) => name)),
    categories: makePgArray(batch.map(({ categoryId }) => categoryId)),
    statuses: makePgArray(batch.map(({ status }) => status)),
  })
  await connection.query(statement)
}

const indexLines = buildStatement(
  'indexImport',
  sql`alter table ${imported} add primary key (${nameOf(imported.line)})`,
  { prepare: false },
).with({})
const analyze = buildStatement('analyzeImport', sql`analyze ${imported}`, { prepare: false }).with({})

/** To be called when everything has been collected. */
export async function endCollecting(connection: DedicatedConnection): Promise<void> {
  await connection.query(indexLines)
  await connection.query(analyze)
}

const count = buildStatement('countImport', sql`select count(*)::text from ${imported}`, {
  prepare: false,
}).with({})

export async function countCollected(connection: DedicatedConnection): Promise<number> {
  const [[found] = []] = await connection.query(count)
  return Number(requireText(found))
}

const insertRange = buildStatement<'first' | 'last'>(
  'importPets',
  sql`
    insert into ${pets} (${namesOf(pets.name, pets.categoryId, pets.status)})
    select ${imported.name}, ${imported.categoryId}, ${imported.status} from ${imported}
    where ${imported.line} between ${parameter('first', 'bigint')} and ${parameter('last', 'bigint')}
    order by ${imported.line}`,
)
const insertRangeWithIds = buildStatement<'first' | 'last'>(
  'importPetsWithIds',
  sql`
    insert into ${pets} (${PET_COLUMN_NAMES}) overriding system value
    select ${imported.id}, ${imported.name}, ${imported.categoryId}, ${imported.status} from ${imported}
    where ${imported.line} between ${parameter('first', 'bigint')} and ${parameter('last', 'bigint')}
    order by ${imported.line}`,
)

/** Creates the pets of a range of lines, in their order. */
export async function createCollected(
  connection: DedicatedConnection,
  lines: { first: string; last: string },
  { keepIds }: { keepIds: boolean },
): Promise<void> {
  await connection.query((keepIds ? insertRangeWithIds : insertRange).with(lines))
}

const silence = buildStatement('silenceEvents', sql`select set_config('pet_store.silent', 'on', true)`, {
  prepare: false,
}).with({})

/** In this transaction, a single notification ends all subscriptions, instead of one for each pet. */
export async function silenceEvents(connection: DedicatedConnection): Promise<void> {
  await connection.query(silence)
  await connection.query(resetSubscriptions)
}
