/** The SQL of an import that keeps the ids of its pets. */
import { sql } from 'drizzle-orm'
import { imported } from './import-pets.ts'
import { nameOf, requireText } from './pet.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { buildStatement, type Statement } from '../db/postgres/statement.ts'
import { PET_ID_SEQUENCE, pets } from '../db/tables.ts'
import { MAX_INT64 } from '../base/int64.ts'

/** The greatest id that an import keeps. New ids continue after it, so it leaves a million million of them. */
export const MAX_KEPT_ID = MAX_INT64 - 10n ** 12n

/** Collected pets whose id is taken. */
export interface TakenIds {
  count: number
  /** The first of them, by line. */
  examples: { line: number; id: string; firstLine: number | null }[]
}

/** The maximum number of ids that are named. */
const MAX_EXAMPLES = 100

const deleteRepeated = buildStatement(
  'dropRepeatedIds',
  sql`
    with numbered as (
      select ${imported.line}, min(${imported.line}) over (partition by ${imported.id}) as first from ${imported}
    ), dropped as (
      delete from ${imported} using numbered
      where ${imported.line} = numbered.line and numbered.line > numbered.first
      returning ${imported.line}, ${imported.id}, numbered.first
    )
    select line::text, id::text, first::text, (select count(*) from dropped)::text from dropped
    order by dropped.line limit ${sql.raw(String(MAX_EXAMPLES))}`,
  { prepare: false },
).with({})

/** Drops pets whose id is also on an earlier line. */
export function dropRepeatedIds(connection: DedicatedConnection): Promise<TakenIds> {
  return drop(connection, deleteRepeated)
}

/** The existing ids come first, since Citus would otherwise load the ids of all pets. */
const deleteExisting = buildStatement(
  'dropExistingIds',
  sql`
    with existing as materialized (
      select ${pets.id} from ${pets} where ${pets.id} in (select ${imported.id} from ${imported})
    ), dropped as (
      delete from ${imported} where ${imported.id} in (select ${nameOf(pets.id)} from existing)
      returning ${imported.line}, ${imported.id}
    )
    select line::text, id::text, null, (select count(*) from dropped)::text from dropped
    order by dropped.line limit ${sql.raw(String(MAX_EXAMPLES))}`,
  { prepare: false },
).with({})

/** Drops pets whose id a stored pet has. */
export function dropExistingIds(connection: DedicatedConnection): Promise<TakenIds> {
  return drop(connection, deleteExisting)
}

async function drop(connection: DedicatedConnection, statement: Statement): Promise<TakenIds> {
  const rows = await connection.query(statement)
  return {
    count: Number(rows[0]?.[3] ?? 0),
    examples: rows.map(([line, id, first]) => ({
      line: Number(line),
      id: requireText(id),
      firstLine: first == null ? null : Number(first),
    })),
  }
}

const lock = buildStatement('lockPets', sql`lock table ${pets} in share row exclusive mode`, {
  prepare: false,
}).with({})

/** Until the transaction ends, no other connection creates pets: no id is drawn whose pet is not visible yet. Reads continue. */
export async function lockCreations(connection: DedicatedConnection): Promise<void> {
  await connection.query(lock)
}

const moveSequence = buildStatement(
  'reserveIds',
  sql`
    select setval(${sql.raw(`'${PET_ID_SEQUENCE}'`)}, greatest_id)
    from ${sql.identifier(PET_ID_SEQUENCE)},
      (select max(${imported.id}) as greatest_id from ${imported}) as kept
    where greatest_id > last_value or (greatest_id = last_value and not is_called)`,
  { prepare: false },
).with({})

/** Moves the sequence of ids beyond those of the collected pets, never back. */
export async function reserveIds(connection: DedicatedConnection): Promise<void> {
  await connection.query(moveSequence)
}
