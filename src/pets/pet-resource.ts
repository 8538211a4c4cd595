/** Pets as a resource: where the rooms that know nothing about pets are given their declarations. */
import { createList } from '../resource/list-items.ts'
import { describeResource } from '../resource/resource.ts'
import { Store } from '../resource/store.ts'
import { describePetList } from './list.ts'
import { petReader } from './reader.ts'
import { petRules, pets } from './table.ts'

export const petResource = describeResource(
  pets,
  {
    words: { one: 'pet', many: 'pets' },
    example: '{"name":"Rex","categoryId":1,"status":"available"}',
    hasEvents: true,
    isDistributed: true,
  },
  petRules,
  petReader,
)

export const petStore = new Store(petResource)

export const petList = createList(petResource, describePetList(pets))
