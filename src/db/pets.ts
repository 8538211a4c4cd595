import { and, asc, count, desc, eq, gt, inArray, lt, type SQL } from 'drizzle-orm'
import type { Database } from './connect.ts'
import { pets } from './tables.ts'

export type Pet = typeof pets.$inferSelect
export type PetStatus = NonNullable<Pet['status']>

/** What a client says of a new animal; ids and category ids are int64, in REST's words. */
export interface NewPet {
  name: string
  categoryId: bigint
  status: PetStatus | null
}

/** Only what is there is changed; a status of null unsets it. */
export type PetChanges = Partial<NewPet>

export interface PetFilter {
  /** Animals with any of these; absent: whatever their status. */
  status?: readonly PetStatus[] | undefined
}

/** A stretch of the list, which is in ascending order of id: the order of creation. */
export interface PetRange {
  filter: PetFilter
  /** Only animals whose id lies strictly between these two. */
  after?: bigint | undefined
  before?: bigint | undefined
  limit: number
  /** Which end of the stretch the limit counts from. */
  from: 'start' | 'end'
}

/** The animals of a stretch of the list, in ascending order of id, whichever end they are counted from. */
export async function listPets(database: Database, range: PetRange): Promise<Pet[]> {
  const rows = await database.run(() =>
    database.orm
      .select()
      .from(pets)
      .where(and(matches(range.filter), ...between(range)))
      .orderBy(range.from === 'start' ? asc(pets.id) : desc(pets.id))
      .limit(range.limit),
  )
  return range.from === 'start' ? rows : rows.reverse()
}

export async function countPets(database: Database, filter: PetFilter): Promise<number> {
  const rows = await database.run(() =>
    database.orm.select({ total: count() }).from(pets).where(matches(filter)),
  )
  return rows[0]?.total ?? 0
}

export async function findPet(database: Database, id: bigint): Promise<Pet | null> {
  const rows = await database.run(() => database.orm.select().from(pets).where(eq(pets.id, id)))
  return rows[0] ?? null
}

export async function createPet(database: Database, pet: NewPet): Promise<Pet> {
  const [created] = await database.run(() => database.orm.insert(pets).values(pet).returning())
  if (!created) throw new Error('INSERT … RETURNING returned no row')
  return created
}

/** @returns the animal as it is afterwards; null when no animal has the id */
export async function updatePet(database: Database, id: bigint, changes: PetChanges): Promise<Pet | null> {
  // An UPDATE of no column is no SQL.
  if (Object.keys(changes).length === 0) return findPet(database, id)
  const rows = await database.run(() =>
    database.orm.update(pets).set(changes).where(eq(pets.id, id)).returning(),
  )
  return rows[0] ?? null
}

/** @returns the animal as it was; null when no animal has the id */
export async function deletePet(database: Database, id: bigint): Promise<Pet | null> {
  const rows = await database.run(() => database.orm.delete(pets).where(eq(pets.id, id)).returning())
  return rows[0] ?? null
}

function matches(filter: PetFilter): SQL | undefined {
  return filter.status && inArray(pets.status, [...new Set(filter.status)])
}

function between({ after, before }: PetRange): SQL[] {
  const bounds: SQL[] = []
  if (after !== undefined) bounds.push(gt(pets.id, after))
  if (before !== undefined) bounds.push(lt(pets.id, before))
  return bounds
}
