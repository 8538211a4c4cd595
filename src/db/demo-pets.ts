import { toArray } from './arrays.ts'
import type { Database } from './connect.ts'
import type { PetStatus } from './pet-status.ts'

type Row = [name: string, categoryId: number, status?: PetStatus]

/** Category 1: dogs, 2: cats, 3: birds, 4: fish, 5: small mammals, 6: reptiles. */
const demoPets: readonly Row[] = [
  ['Rex', 1, 'available'],
  ['Luna', 2, 'available'],
  ['Kiwi', 3, 'pending'],
  ['Bubbles', 4, 'available'],
  ['Hazel', 5, 'sold'],
  ['Spike', 6, 'available'],
  ['Bella', 1, 'sold'],
  ['Misty', 2],
  ['Rio', 3, 'available'],
  ['Nemo', 4, 'pending'],
  ['Peanut', 5, 'available'],
  ['Rango', 6],
  ['Max', 1, 'available'],
  ['Cleo', 2, 'sold'],
  ['Sunny', 3, 'available'],
  ['Finn', 4, 'available'],
  ['Clover', 5, 'pending'],
  ['Ziggy', 6, 'sold'],
  ['Daisy', 1, 'pending'],
  ['Simba', 2, 'available'],
  ['Polly', 3, 'sold'],
  ['Coral', 4],
  ['Biscuit', 5, 'available'],
  ['Shelly', 6, 'available'],
  ['Buddy', 1, 'available'],
]

/** Loads the demo animals into a database that never held an animal; in one that did, even if none is left, nothing. */
export async function loadDemoPets(database: Database): Promise<void> {
  const ask = (text: string, parameters: string[] = []) =>
    database.run(() => database.query({ text, parameters, comesAgain: false }))
  const [[isCalled] = []] = await ask('select is_called::text from pets_id_seq')
  if (isCalled === 'true') return
  await ask(
    `insert into pets (name, category_id, status)
    select * from unnest($1::text[], $2::bigint[], $3::pet_status[])`,
    [
      toArray(demoPets.map(([name]) => name)),
      toArray(demoPets.map(([, categoryId]) => String(categoryId))),
      toArray(demoPets.map(([, , status = null]) => status)),
    ],
  )
}
