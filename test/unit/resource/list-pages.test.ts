import { describe, expect, it } from 'vitest'
import {
  type BatchedPage,
  type ListCursor,
  PAGE_SIZE,
  selectPages,
} from '../../../src/resource/list-pages.ts'
import { type PetFilter, type PetRange, planPage } from '../../support/pet-range.ts'

const ascending: PetRange = {
  filter: {},
  order: { field: 'NAME', direction: 'ASC' },
  limit: 21,
  from: 'start',
}

/** A page that can be batched with others. */
function planBatched(range: Partial<PetRange>): BatchedPage {
  const plan = planPage({ ...ascending, ...range })
  if (!plan?.batched) throw new Error('The page cannot be batched')
  return plan.batched
}

/** The bounds of a page's index range, each as its values: none, a key, or a key and an id. */
function boundsOf({ template, values }: BatchedPage): { low: string[]; high: string[] } {
  const valuesOf = (names: readonly (keyof typeof values)[]) =>
    names.filter((name) => template.parameters.includes(name)).map((name) => String(values[name]))
  return { low: valuesOf(['lowKey', 'lowId']), high: valuesOf(['highKey', 'highId']) }
}

const at = (sortKey: string, id: string): ListCursor => ({ sortKey, id })

const none = undefined

/**
 * What limits a list, and the bounds of the index range. The lower cursor is `after` in ascending order, `before` in descending
 * order. The keys with the prefix re are those from re up to, but not including, rf.
 */
const boundsCases: [
  title: string,
  limits: [namePrefix?: string | undefined, lower?: ListCursor | undefined, upper?: ListCursor],
  low: string[],
  high: string[],
][] = [
  ['no prefix and no cursor', [], [], []],
  ['two cursors', [none, at('a', '1'), at('z', '9')], ['a', '1'], ['z', '9']],
  ['a prefix', ['re'], ['re'], ['rf']],
  ['a lower cursor within the prefix', ['re', at('rea', '1')], ['rea', '1'], ['rf']],
  ['a lower cursor at the first key of the prefix', ['re', at('re', '1')], ['re', '1'], ['rf']],
  ['a lower cursor before the prefix', ['re', at('rd', '1')], ['re'], ['rf']],
  ['a lower cursor after the prefix', ['re', at('rf', '1')], ['rf', '1'], ['rf']],
  ['an upper cursor within the prefix', ['re', none, at('rez', '9')], ['re'], ['rez', '9']],
  ['an upper cursor at the first key after the prefix', ['re', none, at('rf', '9')], ['re'], ['rf']],
  ['an upper cursor after the prefix', ['re', none, at('z', '9')], ['re'], ['rf']],
  ['an upper cursor before the prefix', ['re', none, at('a', '9')], ['re'], ['a', '9']],
  ['two cursors within the prefix', ['re', at('rea', '1'), at('rez', '9')], ['rea', '1'], ['rez', '9']],
  ['two cursors outside of the prefix', ['re', at('a', '1'), at('z', '9')], ['re'], ['rf']],
  // In UTF-16, 🐕 begins with a smaller unit than \uffee.
  ['cursors that UTF-16 orders wrongly', ['\uffee', at('z', '1'), at('🐕', '9')], ['\uffee'], ['\uffef']],
  ['a prefix without an upper end', ['\u{10ffff}', at('a', '1')], ['\u{10ffff}'], []],
  [
    'a prefix without an upper end, and an upper cursor',
    ['\u{10ffff}', none, at('\u{10ffff}a', '9')],
    ['\u{10ffff}'],
    ['\u{10ffff}a', '9'],
  ],
]

describe('the bounds of the index range in a list by name', () => {
  describe.each(['start', 'end'] as const)('counted from the %s', (from) => {
    it.each(boundsCases)('ascending, %s', (_, [namePrefix, lower, upper], low, high) => {
      const page = planBatched({ filter: { namePrefix }, after: lower, before: upper, from })
      expect(boundsOf(page)).toEqual({ low, high })
    })

    it.each(boundsCases)('descending, %s', (_, [namePrefix, lower, upper], low, high) => {
      const order = { field: 'NAME', direction: 'DESC' } as const
      const page = planBatched({ filter: { namePrefix }, after: upper, before: lower, from, order })
      expect(boundsOf(page)).toEqual({ low, high })
    })
  })
})

describe('the bounds of the index range in a list by id', () => {
  const [after, before] = [
    { id: '11', sortKey: null },
    { id: '99', sortKey: null },
  ]

  it.each([
    ['ASC', { low: ['11'], high: ['99'] }],
    ['DESC', { low: ['99'], high: ['11'] }],
  ] as const)('in the direction %s', (direction, bounds) => {
    const page = planBatched({ order: { field: 'ID', direction }, after, before })
    expect(boundsOf(page)).toEqual(bounds)
  })

  it('are the cursors, even with a prefix, which is a condition on each row', () => {
    const order = { field: 'ID', direction: 'ASC' } as const
    const plan = planPage({ ...ascending, order, filter: { namePrefix: 're' }, after })
    expect(plan?.single()).toMatchObject({ parameters: ['11', 're', 'rf', '21'], prepare: false })
    // It may take long.
    expect(plan?.batched).toBeNull()
  })
})

describe('the combinations of a filter', () => {
  it.each<[string, PetFilter]>([
    ['no status of a category', { status: [], categoryId: ['7'] }],
    ['no category', { categoryId: [] }],
  ])('match no pet: %s', (_, filter) => {
    expect(planPage({ ...ascending, filter })).toBeNull()
  })

  it.each<[string, PetFilter, PetFilter]>([
    ['status', { status: ['sold', 'sold'] }, { status: ['sold'] }],
    ['category', { categoryId: ['7', '7', '7'] }, { categoryId: ['7'] }],
  ])('count once: a repeated %s', (_, repeated, once) => {
    expect(planBatched({ filter: repeated })).toEqual(planBatched({ filter: once }))
  })

  it.each<[string, PetFilter, string[]]>([
    ['statuses', { status: ['sold', 'pending', 'sold'] }, ['{"sold","pending"}']],
    ['categories', { categoryId: ['8', '7', '8'] }, ['{"8","7"}']],
    [
      'statuses and categories',
      { status: ['sold', 'pending'], categoryId: ['8', '7'] },
      ['{"sold","sold","pending","pending"}', '{"8","7","8","7"}'],
    ],
    [
      'a status and categories',
      { status: ['sold'], categoryId: ['8', '7'] },
      ['{"sold","sold"}', '{"8","7"}'],
    ],
  ])('are merged by one statement: %s', (_, filter, lists) => {
    const plan = planPage({ ...ascending, filter })
    expect(plan?.single()).toMatchObject({ parameters: [...lists, '21', '21'], prepare: true })
    expect(plan?.batched).toBeNull()
  })
})

describe('a page that can be batched', () => {
  const filter: PetFilter = { status: ['sold'], namePrefix: 're' }
  const plan = planPage({ ...ascending, filter, after: at('rea', '1') })

  it('can be asked for by itself as well, with the same values', () => {
    expect(plan?.single()).toMatchObject({
      parameters: ['sold', 'rea', '1', 'sold', 'rf', '21'],
      prepare: true,
      writes: false,
    })
    expect(plan?.batched?.values).toMatchObject({ limit: '21', status: 'sold', lowKey: 'rea', lowId: '1' })
  })
})

describe('batched pages', () => {
  it('have one template per shape: they may be read from either end of the list in the same direction', () => {
    const filter = { namePrefix: 'a' }
    const order = { field: 'NAME', direction: 'DESC' } as const
    const [from, after] = ['end' as const, at('a', '1')]
    const { template } = planBatched({ filter, after })
    for (const same of [
      { filter: { namePrefix: 'b' }, after: at('b', '1'), limit: 1 },
      { filter, order, from, before: at('b', '2') },
    ])
      expect(planBatched(same).template).toBe(template)
    for (const other of [
      { filter },
      { filter, after, order },
      { filter, after, from },
      { filter: { ...filter, status: ['sold'] as const }, after },
    ])
      expect(planBatched(other).template).not.toBe(template)
  })

  it('send an array for each value, in the order of the pages', () => {
    const [first, second] = [
      planBatched({ filter: { status: ['sold'] }, after: at('a"b', '1'), limit: 2 }),
      planBatched({ filter: { status: ['pending'] }, after: at('c', '3'), limit: 4 }),
    ]
    expect(selectPages([first, second])).toEqual({
      name: 'listPets',
      text: first.template.text,
      parameters: ['{"2","4"}', '{"sold","pending"}', '{"a\\"b","c"}', '{"1","3"}'],
      prepare: true,
      writes: false,
    })
  })
})

it.each<[string, PetFilter]>([
  ['of one index range', {}],
  ['of several', { status: ['sold', 'pending'] }],
])('the constant limit leaves room for the largest page and one more row: %s', (_, filter) => {
  const { text = '' } = planPage({ ...ascending, filter })?.single() ?? {}
  expect(Number(/limit (\d+)/.exec(text)?.[1])).toBe(PAGE_SIZE.maximum + 1)
})
