import { sql } from 'drizzle-orm'
import { pgTable, varchar } from 'drizzle-orm/pg-core'
import { expect, expectTypeOf, it } from 'vitest'
import { statementTemplate } from '../../../../src/db/postgres/statement.ts'
import { optionalConditions } from '../../../../src/resource/lists/conditions.ts'
import { anyOf, byComparison, prefixOf } from '../../../../src/resource/lists/filters.ts'
import { crateList, crates } from '../../../support/crates.ts'

const { filters } = crateList.description
const shelves = pgTable('shelves', { code: varchar({ length: 4 }) })

it('the values of a filter are sent without the length of its column: a cast to it would cut them, and find other items', () => {
  const { where } = optionalConditions({ code: anyOf(shelves.code, 'codes', 9) })
  expect(statementTemplate('test', sql.join(where)).text).toContain('= any($1::varchar[])')
})

it.each([
  ['a\\b%_c', 'a\\\\b\\%\\_c%'],
  ['bo', 'bo%'],
])('a prefix has no special characters: %s', (prefix, pattern) => {
  expect(filters.labelPrefix.toSqlValue(prefix)).toBe(pattern)
})

it('a prefix is searched by a sort key', () => {
  // @ts-expect-error -- it has no sort keys
  prefixOf(crates.note)
})

it('a comparison is of the values of its column, and null is no value of a condition', () => {
  const where = () => sql`true`
  byComparison({
    column: crates.size,
    where,
    matches: (stored, size) => {
      expectTypeOf(size).toEqualTypeOf<'small' | 'medium' | 'large'>()
      expectTypeOf(stored).toEqualTypeOf<typeof size | null>()
      return true
    },
  })
  // @ts-expect-error -- its values are texts
  byComparison({ column: crates.note, where, matches: (stored: number | null) => stored === 1 })
})

it('whether any text may be sent, and how an index serves a filter, cannot be said otherwise', () => {
  const description = { column: crates.note, where: () => sql`true`, matches: () => true }
  // @ts-expect-error -- it is derived
  expect(byComparison({ ...description, isAnyText: false }).isAnyText).toBe(true)
  // @ts-expect-error -- no index serves it
  expect(byComparison({ ...description, index: 'bySortKey' }).index).toBe('none')
})
