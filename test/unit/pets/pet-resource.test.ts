import { expect, it } from 'vitest'
import { petResource } from '../../../src/pets/pet-resource.ts'
import { samplePets } from '../../support/pet-fields.ts'

it.each(samplePets)('a pet is read from its columns in the order of the table: %j', (pet) => {
  const read = petResource.readRow(petResource.fields.map(({ name }) => pet[name as keyof typeof pet]))
  const texts = Object.entries(read).map(([name, value]: [string, string | number | null]) => [
    name,
    value === null ? null : String(value),
  ])
  expect(Object.fromEntries(texts)).toEqual(pet)
})

it('a status that only a later version knows passes through', () => {
  expect(petResource.readRow(['1', 'Rex', '7', 'lost'])).toMatchObject({ status: 'lost' })
})
