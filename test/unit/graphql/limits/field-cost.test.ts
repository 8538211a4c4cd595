import { getNamedType, isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../../src/server/schema.ts'

const connections = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type))
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })),
  )
  .filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))

it('there are connections', () => expect(connections).not.toEqual([]))

it.each(connections)('the cost of $name is found in its arguments', ({ field }) => {
  expect(field.extensions.cost?.pageSize).toBeDefined()
  expect(
    field.args.map(({ name }) => name),
    'pageCostOf and pageSizeOf (field-cost.ts) read arguments by these names: without them, a page that scans a table would cost nothing more.',
  ).toEqual(expect.arrayContaining(['first', 'last', 'filter', 'orderBy']))
})
