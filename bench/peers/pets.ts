/** The SQL of every peer that writes its own: constant statements, which postgres.js prepares once per connection. */
import postgres from 'postgres'
import { DATABASE_URL, POOL_SIZE } from './peer.ts'

export interface Pet<Int64> {
  id: Int64
  name: string
  categoryId: Int64
  status: string | null
}

export interface NewPet {
  name: string
  categoryId: string
  status: string | null
}

export interface PetFilter {
  status?: string[] | null
  categoryId?: string[] | null
}

export interface PetPage<Int64> {
  pets: Pet<Int64>[]
  hasNext: boolean
}

const MIN_INT64 = '-9223372036854775808'
const INT8_OID = 20

/** Disables change notifications: the table's triggers do not fire for this peer. */
const IS_SILENT = process.argv.includes('--silent')

/** @param parseInt64 converts Postgres's digits to what the peer needs */
export function connectPets<Int64>(parseInt64: (digits: string) => Int64) {
  const sql = postgres(DATABASE_URL, {
    max: POOL_SIZE,
    fetch_types: false,
    connection: { statement_timeout: 5_000, ...(IS_SILENT && { session_replication_role: 'replica' }) },
    types: { int8: { to: INT8_OID, from: [INT8_OID], serialize: String, parse: parseInt64 } },
  })
  return {
    async find(id: string): Promise<Pet<Int64> | null> {
      const [pet] = await sql<
        Pet<Int64>[]
      >`select id, name, category_id as "categoryId", status from pets where id = ${id}`
      return pet ?? null
    },
    async list(
      limit: number,
      after: string = MIN_INT64,
      status: string | null = null,
    ): Promise<PetPage<Int64>> {
      // One row more than requested tells whether there is a next page.
      const pets =
        status === null
          ? await sql<Pet<Int64>[]>`
              select id, name, category_id as "categoryId", status from pets
              where id > ${after} order by id limit ${limit + 1}`
          : await sql<Pet<Int64>[]>`
              select id, name, category_id as "categoryId", status from pets
              where status = ${status} and id > ${after} order by id limit ${limit + 1}`
      const hasNext = pets.length > limit
      if (hasNext) pets.pop()
      return { pets, hasNext }
    },
    /** The first page of the pets that match, planned for its values: a plan for any values would read the whole table. */
    async filter(limit: number, { status, categoryId }: PetFilter): Promise<PetPage<Int64>> {
      const pets = await sql.unsafe<Pet<Int64>[]>(
        `select id, name, category_id as "categoryId", status from pets
         where ($1::text is null or status = any(string_to_array($1::text, ',')::pet_status[]))
           and ($2::text is null or category_id = any(string_to_array($2::text, ',')::bigint[]))
         order by id limit $3::int`,
        [status?.join() ?? null, categoryId?.join() ?? null, limit + 1],
      )
      const hasNext = pets.length > limit
      if (hasNext) pets.pop()
      return { pets, hasNext }
    },
    async update(id: string, { name, categoryId, status }: Partial<NewPet>): Promise<Pet<Int64>> {
      const [pet] = await sql<Pet<Int64>[]>`
        update pets set ${sql({
          ...(name !== undefined && { name }),
          ...(categoryId !== undefined && { category_id: categoryId }),
          ...(status !== undefined && { status }),
        })}
        where id = ${id} returning id, name, category_id as "categoryId", status`
      if (!pet) throw new Error('No pet has this id.')
      return pet
    },
    async create({ name, categoryId, status }: NewPet): Promise<Pet<Int64>> {
      const [pet] = await sql<Pet<Int64>[]>`
        insert into pets (name, category_id, status) values (${name}, ${categoryId}, ${status})
        returning id, name, category_id as "categoryId", status`
      if (!pet) throw new Error('INSERT … RETURNING returned no row')
      return pet
    },
  }
}

/** The cursor that our server returns for a pet. */
export function encodeCursor(id: number | bigint | string): string {
  return Buffer.from(`id:${id}`).toString('base64url')
}

/** @returns the id in a cursor; null if the cursor is invalid */
export function decodeCursor(cursor: string): string | null {
  return /^id:(-?\d{1,19})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1] ?? null
}
