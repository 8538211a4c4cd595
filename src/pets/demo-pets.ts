import type { Database } from '../db/database.ts'
import { hasHeldItems } from '../resource/fields/ids.ts'
import { readNewItem } from '../resource/fields/item-validation.ts'
import { petResource, petStore, type PetStatus } from './pet-resource.ts'

/** Category 1: dogs, 2: cats, 3: birds, 4: fish, 5: small mammals, 6: reptiles. */
const demoPets: readonly [name: string, categoryId: string, status: PetStatus | null][] = [
  ['Rex', '1', 'available'],
  ['Luna', '2', 'available'],
  ['Kiwi', '3', 'pending'],
  ['Bubbles', '4', 'available'],
  ['Hazel', '5', 'sold'],
  ['Spike', '6', 'available'],
  ['Bella', '1', 'sold'],
  ['Misty', '2', null],
  ['Rio', '3', 'available'],
  ['Nemo', '4', 'pending'],
  ['Peanut', '5', 'available'],
  ['Rango', '6', null],
  ['Max', '1', 'available'],
  ['Cleo', '2', 'sold'],
  ['Sunny', '3', 'available'],
  ['Finn', '4', 'available'],
  ['Clover', '5', 'pending'],
  ['Ziggy', '6', 'sold'],
  ['Daisy', '1', 'pending'],
  ['Simba', '2', 'available'],
  ['Polly', '3', 'sold'],
  ['Coral', '4', null],
  ['Biscuit', '5', 'available'],
  ['Shelly', '6', 'available'],
  ['Buddy', '1', 'available'],
]

/** Creates the demo pets, unless the database has ever held a pet. */
export async function createDemoPets(database: Database): Promise<void> {
  if (await hasHeldItems(database, petResource)) return
  // Creations that are asked for together are one statement, so that there are all of them, or none.
  await Promise.all(
    demoPets.map(([name, categoryId, status]) =>
      petStore.create({ shared: database }, readNewItem(petResource, { name, categoryId, status }, 'pet')),
    ),
  )
}
