import { getNamedType } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../../src/server/schema.ts'
import { objectFieldsOf } from '../../support/object-fields.ts'

const connections = objectFieldsOf(schema).filter(({ field }) =>
  getNamedType(field.type).name.endsWith('Connection'),
)

it('there are connections', () => expect(connections).not.toEqual([]))

it.each(connections)('the cost of $path is found in its arguments', ({ field }) => {
  expect(field.extensions.cost?.pageSize).toBeDefined()
  expect(
    field.args.map(({ name }) => name),
    'pageCostOf and pageSizeOf (field-cost.ts) read arguments by these names: without them, a page that scans a table would cost nothing more.',
  ).toEqual(expect.arrayContaining(['first', 'last', 'filter', 'orderBy']))
})
