/** Arrays in Postgres's own notation. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readArray, toArray } from '../../src/db/arrays.ts'

it.each([
  [null, []],
  ['{}', []],
  ['{1,-2,NULL}', ['1', '-2', null]],
  ['{Rex,"Rex II",NULL,"NULL","",null}', ['Rex', 'Rex II', null, 'NULL', '', 'null']],
  ['{"a\\\\","\\"","\\\\\\",{}",b}', ['a\\', '"', '\\",{}', 'b']],
])('reads what Postgres writes: %s', (text, items) => expect(readArray(text)).toEqual(items))

it('reads everything that it writes', () => {
  const item = fc.oneof(
    fc.constant(null),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', 'N', 'U', 'L', ' ', '\n', '🐕') }),
  )
  fc.assert(
    fc.property(fc.array(item), (items) => {
      expect(readArray(toArray(items))).toEqual(items)
    }),
  )
})
