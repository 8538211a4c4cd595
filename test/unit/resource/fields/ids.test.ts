import { pgTable } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { int64Id } from '../../../../src/db/columns.ts'
import { fixedStatement } from '../../../../src/db/postgres/statement.ts'
import { nextIdOf } from '../../../../src/resource/fields/ids.ts'
import { describeResource } from '../../../../src/resource/fields/resource.ts'

it('ids are drawn from the sequence of a table whose name has upper case, too', () => {
  const orders = describeResource(pgTable('storeOrders', { id: int64Id().primaryKey() }), {
    words: { singular: 'order', plural: 'orders' },
    hasEvents: false,
    readRow: () => ({ id: '1' }),
  })
  expect(fixedStatement('drawId', nextIdOf(orders)).text).toBe(`nextval('"storeOrders_id_seq"')`)
})
