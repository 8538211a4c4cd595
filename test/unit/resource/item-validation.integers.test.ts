import { bigint, integer, pgTable } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { describeResource, type ItemOf, type RowReader } from '../../../src/resource/resource.ts'
import { readNewItem, readPatches, readValue } from '../../../src/resource/item-validation.ts'

const boxes = pgTable('boxes', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity({ name: 'boxes_id_seq' }),
  grams: integer(),
  shelf: integer(),
})
const reader: RowReader<ItemOf<typeof boxes>> = {
  readRow: () => ({ id: '1', grams: null, shelf: null }),
  readColumns: () => [],
}
const resource = describeResource(
  boxes,
  { words: { one: 'box', many: 'boxes' }, example: '{}', hasEvents: false, isDistributed: false },
  { grams: { least: 0 }, shelf: {} },
  reader,
)
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
