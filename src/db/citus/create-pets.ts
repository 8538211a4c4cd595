import { sql } from 'drizzle-orm'
import type { Queryable } from '../postgres/pool.ts'
import { type NewPet, PET_COLUMN_NAMES } from '../../pets/pet.ts'
import {
  buildOnce,
  buildStatement,
  parameter,
  type StatementTemplate,
  type TextRow,
} from '../postgres/statement.ts'
import { PET_ID_SEQUENCE, pets, petStatus } from '../tables.ts'

const drawIds = buildStatement<'count'>(
  'drawIds',
  sql`select nextval(${sql.raw(`'${PET_ID_SEQUENCE}'`)})::text from generate_series(1, ${parameter('count', 'int')})`,
)

/** One statement for each number of pets. */
const insertOf = buildOnce((count: number) => count, buildInsert)

function buildInsert(count: number): StatementTemplate<string> {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = [
      parameter(`id${row}`, 'bigint'),
      parameter(`name${row}`, 'text'),
      parameter(`category${row}`, 'bigint'),
      parameter(`status${row}`, petStatus.enumName),
    ]
    return sql`(${sql.join(values, sql`, `)})`
  })
  return buildStatement<string>(
    'createPets',
    sql`insert into ${pets} (${PET_COLUMN_NAMES}) overriding system value values ${sql.join(rows, sql`, `)}`,
    // Most are created singly; a plan for every other number is not worth its memory.
    { prepare: count === 1, writes: true },
  )
}

/**
 * Draws the ids first, from the coordinator. Citus sends VALUES to the shards directly: INSERT … SELECT takes it several times as long.
 * @returns the ids, in order
 */
export async function insertRows(queryable: Queryable, newPets: readonly NewPet[]): Promise<TextRow[]> {
  const options = { callers: newPets.length }
  const ids = await queryable.query(drawIds.with({ count: String(newPets.length) }), options)
  const values: Record<string, string | null> = {}
  newPets.forEach(({ name, categoryId, status }, row) => {
    values[`id${row}`] = ids[row]?.[0] ?? null
    values[`name${row}`] = name
    values[`category${row}`] = categoryId
    values[`status${row}`] = status
  })
  await queryable.query(insertOf(newPets.length).with(values), options)
  return ids
}
