import { expect, expectTypeOf, it } from 'vitest'
import {
  conditionsOf,
  optionalFilters,
  sentConditionsOf,
} from '../../../../src/resource/lists/filter-values.ts'
import { byCondition } from '../../../../src/resource/lists/filters.ts'
import { type CrateFilter, crateList } from '../../../support/crates.ts'

const { filters } = crateList.description

it('what a client has sent is not taken for a value, nor is null, which no filter may make of it', () => {
  // @ts-expect-error -- no list
  expect(conditionsOf(filters, { ownerId: 7 })).toMatchObject([{ value: 7 }])
  // @ts-expect-error -- null is no value
  const none: CrateFilter = { ownerId: null, labelPrefix: 'bo' }
  expect(conditionsOf(filters, none).map(({ filter }) => filter)).toEqual([filters.labelPrefix])
  expect(optionalFilters(filters).valuesOf(none)).toEqual({
    size: null,
    ownerId: null,
    labelPrefix: 'bo%',
    note: null,
  })
  // @ts-expect-error -- null is no value
  expectTypeOf(byCondition<string | null>)
})

it('a name that is no filter is ignored if a client sent it, and an error if it should have a value', () => {
  for (const names of [{ colour: 'red' }, { constructor: 'red' }])
    expect(sentConditionsOf(filters, names)).toEqual([])
  // @ts-expect-error -- no filter
  expect(() => conditionsOf(filters, { colour: 'red' })).toThrow('colour is no filter')
})
