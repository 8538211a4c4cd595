/** Pets as a resource: where the rooms that know nothing about pets are given their declarations. */
import { createList } from '../resource/list-items.ts'
import { describeResource } from '../resource/resource.ts'
import { createStore } from '../resource/store.ts'
import { petListDescription } from './list.ts'
import { pets, readPet } from './table.ts'

export const petResource = describeResource(pets, {
  words: { one: 'pet', many: 'pets' },
  hasEvents: true,
  readRow: readPet,
})

export const petStore = createStore(petResource)

export const petList = createList(petResource, petListDescription)
