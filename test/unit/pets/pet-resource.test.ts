import { expect, it } from 'vitest'
import { petResource } from '../../../src/pets/pet-resource.ts'

it.each([0, 1, 2])('a pet is read only if its required column %i has a value', (index) => {
  const row = ['1', 'Rex', '7', null]
  expect(petResource.readRow(row)).toMatchObject({ id: '1', name: 'Rex', categoryId: '7', status: null })
  expect(() => petResource.readRow(row.with(index, null))).toThrow(/^(id|name|categoryId) is missing$/)
  expect(() => petResource.readRow(row.slice(0, index))).toThrow(/^(id|name|categoryId) is missing$/)
})

it('a pet is read from its columns in the order in which they are asked for', () => {
  const names = Object.keys(petResource.columns)
  const pet = petResource.readRow(names.map((_, index) => String(index)))
  expect(Object.entries(pet).map(([name, value]) => [name, String(value)])).toEqual(
    names.map((name, index) => [name, String(index)]),
  )
})

it('a status that only a later version knows passes through', () => {
  expect(petResource.readRow(['1', 'Rex', '7', 'lost'])).toMatchObject({ status: 'lost' })
})
