/** Pets as a resource: where the rooms that know nothing about pets are given their declarations. */
import { nameOf } from '../db/postgres/statement.ts'
import { petsReader } from '../generated/readers.ts'
import { describeEvents } from '../resource/events.ts'
import { createList } from '../resource/list-items.ts'
import { sortKeysOf } from '../resource/list.ts'
import { describeResource } from '../resource/resource.ts'
import { Store } from '../resource/store.ts'
import { describePetList } from './list.ts'
import { petRules, pets } from './table.ts'

export const petResource = describeResource(
  pets,
  {
    words: { one: 'pet', many: 'pets' },
    example: '{"name":"Rex","categoryId":1,"status":"available"}',
    hasEvents: true,
    hasOldFingerprints: true,
  },
  petRules,
  petsReader,
)

export const petStore = new Store(petResource)

export const petList = createList(petResource, describePetList(pets))

export const petEvents = describeEvents(
  petResource,
  { channel: 'pet_changes', writeFunction: 'pet_event' },
  petList.list,
)

/** How pets are distributed over a Citus cluster. */
export const petDistribution = {
  table: pets,
  id: pets.id,
  many: 'pets',
  triggers: ['pets_created', 'pet_created_or_deleted', 'pet_updated', 'pets_truncated'],
  keys: sortKeysOf(petList.list).map(({ column, storedAs, of }) => ({
    column: storedAs,
    value: of(nameOf(column)),
  })),
}
