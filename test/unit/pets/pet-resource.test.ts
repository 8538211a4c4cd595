import { expect, it } from 'vitest'
import { petResource } from '../../../src/pets/pet-resource.ts'

it('a status that only a later version knows passes through', () => {
  expect(petResource.readRow(['1', 'Rex', '7', 'lost'])).toMatchObject({ status: 'lost' })
})
