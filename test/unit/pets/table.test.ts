import { expect, it } from 'vitest'
import { readPet } from '../../../src/pets/table.ts'

it.each([0, 1, 2])('a pet is read only if its required column %i has a value', (index) => {
  const row = ['1', 'Rex', '7', null]
  expect(readPet(row)).toMatchObject({ id: '1', name: 'Rex', categoryId: '7', status: null })
  expect(() => readPet(row.with(index, null))).toThrow('A row lacks a value')
  expect(() => readPet(row.slice(0, index))).toThrow('A row lacks a value')
})

it('a status that only a later version knows passes through', () => {
  expect(readPet(['1', 'Rex', '7', 'lost'])).toMatchObject({ status: 'lost' })
})
