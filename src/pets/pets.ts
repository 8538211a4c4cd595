/** Pets as a resource: where the rooms that know nothing about pets are given their declarations. */
import { petsReader } from '../generated/readers.ts'
import { describeEvents } from '../resource/events.ts'
import { createList } from '../resource/list-items.ts'
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
  },
  petRules,
  petsReader,
)

export const petStore = new Store(petResource)

export const petList = createList(petResource, describePetList(pets))

export const petEvents = describeEvents(petResource)

/** How pets are distributed over a Citus cluster. */
export const petDistribution = {
  table: pets,
  id: pets.id,
  many: 'pets',
  triggers: ['pets_created', 'pets_changed', 'pets_truncated'],
}
