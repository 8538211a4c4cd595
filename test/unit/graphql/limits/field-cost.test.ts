import { getNamedType } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../../src/server/schema.ts'
import { objectFieldsOf } from '../../support/object-fields.ts'

const connections = objectFieldsOf(schema).filter(({ field }) =>
  getNamedType(field.type).name.endsWith('Connection'),
)

/** The arguments of a page: where it begins, how many items it may have, and which in what order. A resource may have no filter and one order. */
const PRICED_ARGUMENTS = ['after', 'before', 'first', 'last', 'filter', 'orderBy']

it('there are connections', () => expect(connections).not.toEqual([]))

it.each(connections)('the cost of $path is found in its arguments', ({ field }) => {
  expect(field.extensions.cost?.pageSize).toBeDefined()
  const names = field.args.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['first', 'last']))
  expect(
    PRICED_ARGUMENTS,
    'pageCostOf and pageSizeOf (field-cost.ts) read arguments by these names: with others, a page that scans a table would cost nothing more.',
  ).toEqual(expect.arrayContaining(names))
})
