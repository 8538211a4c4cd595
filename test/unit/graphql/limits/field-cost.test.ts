/** The costs that are declared are complete: a mistake in one would make a document that is expensive look cheap. */
import { getNamedType, getNullableType, isListType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { COST_OF_IDS, type FieldCost } from '../../../../src/graphql/limits/field-cost.ts'
import { schema } from '../../../../src/server/schema.ts'
import { fieldsOf } from '../../support/schema-fields.ts'

const fields = fieldsOf(schema).map(({ path, typeName, field }) => ({
  path,
  typeName,
  field,
  kind: field.extensions.cost?.kind ?? 'single',
  resultName: getNamedType(field.type).name,
}))
const ofKind = (wanted: FieldCost['kind']) => fields.filter(({ kind }) => kind === wanted)

it.each(['single', 'few', 'items', 'page', 'list'] as const)('there are fields of the kind %s', (kind) =>
  expect(ofKind(kind)).not.toEqual([]),
)

it.each(fields)('$path declares that it is a list if it is one', ({ field, kind }) => {
  const isList = isListType(getNullableType(field.type))
  expect(
    isList ? ['few', 'items', 'list'] : ['single', 'page'],
    'A list needs a declared cost (field-cost.ts): otherwise, all of its items would count as one.',
  ).toContain(kind)
})

it.each(ofKind('items'))('$path is below pages only, whose sizes it is multiplied by', ({ typeName }) => {
  const above = fields.filter(({ resultName }) => resultName === typeName)
  expect(above).not.toEqual([])
  expect(above.filter(({ kind }) => kind !== 'page').map(({ path }) => path)).toEqual([])
})

it.each(fields.filter(({ resultName }) => resultName.endsWith('Connection')))(
  '$path, a connection, is a page',
  ({ kind }) => expect(kind).toBe('page'),
)

describe('the cost is found in the arguments', () => {
  /** Those of a page: where it begins, how many items it may have, and which in what order. A resource may have no filter and one order. */
  const PRICED_ARGUMENTS = ['after', 'before', 'first', 'last', 'filter', 'orderBy']

  it.each(ofKind('page'))('of $path', ({ field }) => {
    const names = field.args.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['first', 'last']))
    expect(
      PRICED_ARGUMENTS,
      'pageCostOf (page-cost.ts) reads arguments by these names: with others, a page that scans a table would cost nothing more.',
    ).toEqual(expect.arrayContaining(names))
  })

  it.each(fields.filter(({ field }) => field.extensions.cost === COST_OF_IDS))('of $path', ({ field }) =>
    expect(
      field.args.map(({ name }) => name),
      'COST_OF_IDS (field-cost.ts) reads this argument.',
    ).toEqual(['ids']),
  )

  it.each([...ofKind('page'), ...ofKind('list')])('of $path, which have no defaults', ({ field }) =>
    expect(
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- Pothos sets it, and graphql-js keeps both apart
      field.args.filter((argument) => argument.default ?? argument.defaultValue !== undefined),
      'Only what is sent is read (sent-arguments.ts), so the resolver of the field has to know the default, as pageCostOf does.',
    ).toEqual([]),
  )
})
