import { bigint, integer, pgTable } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { describeResource, type ItemOf, type RowReader } from '../../../src/resource/resource.ts'
import { readNewItem, readPatches, readValue } from '../../../src/resource/validation.ts'
import { fingerprintOf } from '../../../src/resource/store.ts'

const boxes = pgTable('boxes', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity({ name: 'boxes_id_seq' }),
  grams: integer(),
  shelf: integer(),
})
const reader: RowReader<ItemOf<typeof boxes>> = {
  readRow: () => ({ id: '1', grams: null, shelf: null }),
  readColumns: () => [],
}
const describeBoxes = (one: string, shelf = {}) =>
  describeResource(
    boxes,
    { words: { one, many: 'boxes' }, example: '{}', hasEvents: false },
    { grams: { least: 0 }, shelf },
    reader,
  )
const resource = describeBoxes('box')
const [grams, shelf] = resource.newFields
if (!grams || !shelf) throw new Error('The resource lacks fields')

describe('an integer of 32 bits', () => {
  it.each([
    [0n, 0],
    [2147483647n, 2147483647],
    [7, 7],
    [null, null],
    [-1n, undefined],
    [2147483648n, undefined],
    [7.5, undefined],
    ['7', undefined],
  ])('with a least value is read from %s as %s', (sent, value) => {
    expect(readValue(grams, sent)).toBe(value)
  })

  it('has the range of its type if nothing else is declared', () => {
    expect(readValue(shelf, -2147483648n)).toBe(-2147483648)
    expect(readValue(shelf, -2147483649n)).toBeUndefined()
  })

  it('out of its range is an invalid value of creations and patches', () => {
    const message = 'grams must be an integer from 0 to 2147483647.'
    expect(() => readNewItem(resource, { grams: -1 }, 'input')).toThrow(message)
    expect(() => readPatches(resource, { input: { grams: -1 } })).toThrow(message)
    expect(readPatches(resource, { input: { grams: 0 } })).toEqual({ input: { grams: 0 } })
  })
})

describe('the fingerprint of a creation', () => {
  const item = { grams: 1, shelf: null }

  it('differs between resources with the same fields', () => {
    expect(fingerprintOf(resource, item)).not.toBe(fingerprintOf(describeBoxes('crate'), item))
  })

  it('stays the same with a later field that is not set', () => {
    const later = describeBoxes('box', { isLater: true })
    const withoutShelf = { ...later, newFields: [grams] }
    expect(fingerprintOf(later, item)).toBe(fingerprintOf(withoutShelf, item))
    expect(fingerprintOf(later, { ...item, shelf: 1 })).not.toBe(fingerprintOf(later, item))
  })
})
