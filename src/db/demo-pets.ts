import { sql } from 'drizzle-orm'
import type { Database } from './connect.ts'
import type { PetStatus } from './pets.ts'
import { pets } from './tables.ts'

type Row = [name: string, categoryId: bigint, status?: PetStatus]

/** Category 1: dogs, 2: cats, 3: birds, 4: fish, 5: small mammals, 6: reptiles. */
const demoPets: readonly Row[] = [
  ['Rex', 1n, 'available'],
  ['Luna', 2n, 'available'],
  ['Kiwi', 3n, 'pending'],
  ['Bubbles', 4n, 'available'],
  ['Hazel', 5n, 'sold'],
  ['Spike', 6n, 'available'],
  ['Bella', 1n, 'sold'],
  ['Misty', 2n],
  ['Rio', 3n, 'available'],
  ['Nemo', 4n, 'pending'],
  ['Peanut', 5n, 'available'],
  ['Rango', 6n],
  ['Max', 1n, 'available'],
  ['Cleo', 2n, 'sold'],
  ['Sunny', 3n, 'available'],
  ['Finn', 4n, 'available'],
  ['Clover', 5n, 'pending'],
  ['Ziggy', 6n, 'sold'],
  ['Daisy', 1n, 'pending'],
  ['Simba', 2n, 'available'],
  ['Polly', 3n, 'sold'],
  ['Coral', 4n],
  ['Biscuit', 5n, 'available'],
  ['Shelly', 6n, 'available'],
  ['Buddy', 1n, 'available'],
]

/** Loads the demo animals into a database that never held an animal; in one that did, even if none is left, nothing. */
export async function loadDemoPets(database: Database): Promise<void> {
  const [sequence] = await database.run(() =>
    database.orm.execute<{ is_called: boolean }>(sql`select is_called from pets_id_seq`),
  )
  if (sequence?.is_called) return
  const rows = demoPets.map(([name, categoryId, status]) => ({ name, categoryId, status }))
  await database.run(() => database.orm.insert(pets).values(rows))
}
