import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readArray } from '../../../../src/db/postgres/text-values.ts'

it.each([
  [null, []],
  [undefined, []],
  ['{}', []],
  ['{1,-2,NULL}', ['1', '-2', null]],
  ['{Rex,"Rex II",NULL,"NULL","",null}', ['Rex', 'Rex II', null, 'NULL', '', 'null']],
  ['{"a\\\\","\\"","\\\\\\",{}",b}', ['a\\', '"', '\\",{}', 'b']],
])('the array %j is read', (text, items) => expect(readArray(text)).toEqual(items))

/** As array_out in PostgreSQL: it quotes what could be misread. */
const write = (items: (string | null)[]) =>
  `{${items.map((item) => (item === null ? 'NULL' : /^$|^null$|[\s"\\,{}]/i.test(item) ? `"${item.replaceAll(/["\\]/g, '\\$&')}"` : item)).join()}}`

it('every array that Postgres writes is read', () => {
  const item = fc.oneof(
    fc.constant(null),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', 'N', 'U', 'L', ' ', '\n', '🐕') }),
  )
  fc.assert(
    fc.property(fc.array(item), (items) => {
      expect(readArray(write(items))).toEqual(items)
    }),
  )
})
