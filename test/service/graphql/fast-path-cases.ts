/** Queries that are compiled, with variables for them. */

const PET = 'id name categoryId status'
export const byId = `query Pet($id: ID!) { pet(id: $id) { ${PET} } }`
const list = `query Pets($first: Int, $after: String, $last: Int, $before: String, $filter: PetFilter, $orderBy: PetOrder) {
  pets(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { ${PET} } } nodes { ${PET} }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
  }
}`

export interface FastPathCase {
  query: string
  /** Variables that the fast path answers with data; `$0` stands for the id of the first pet. */
  fast: object[]
  /** Variables that the fast path answers with errors. */
  failing?: object[]
  /** Variables that are left to Yoga, because they do not match their types, or are null instead of a default. */
  toYoga?: object[]
}

export const compiledQueries: FastPathCase[] = [
  {
    query: byId,
    fast: [{ id: '$0' }, { id: '$3' }, { id: 1 }, { id: '0' }, { id: 'x' }, { id: '$1', more: [1] }],
    toYoga: [
      {},
      { id: null },
      { id: 1.5 },
      { id: [1] },
      { id: {} },
      { id: true },
      { id: 2 ** 53 + 2 },
      { id: '$0', more: { deep: 1e30 } },
    ],
  },
  {
    query: list,
    fast: [
      {},
      { first: 2 },
      { last: 3 },
      { first: null, filter: null, orderBy: null },
      { filter: {} },
      { filter: { status: ['sold', 'available'] } },
      { filter: { status: 'sold' } },
      { filter: { status: [] } },
      { filter: { status: null, categoryId: ['7', -1] } },
      { filter: { categoryId: 7, namePrefix: null } },
      { filter: { namePrefix: 'ü' }, orderBy: { field: 'NAME', direction: 'DESC' } },
      { orderBy: { field: 'ID', direction: 'DESC' }, first: 1 },
    ],
    failing: [{ first: 101 }, { first: 2, last: 2 }, { after: '!', filter: { namePrefix: 'a\0' } }],
    toYoga: [
      { first: 'x' },
      { first: 1.5 },
      { filter: { status: ['lost'] } },
      { filter: { status: [null] } },
      { filter: { colour: 'red' } },
      { filter: { categoryId: ['x'] } },
      { filter: { categoryId: [2 ** 53 + 2] } },
      { orderBy: { field: 'NAME' } },
      { orderBy: {} },
      { filter: 5 },
    ],
  },
  { query: `{ pet(id: 1) { __typename ${PET} } __typename }`, fast: [{}] },
  {
    query: 'query Refetch($id: ID!) { node(id: $id) { __typename id ... on Pet { name status } } }',
    fast: [{ id: '$0' }, { id: '0' }, { id: 'x' }],
    toYoga: [{}],
  },
  {
    query: '{ a: pet(id: 1) { b: id } c: pet(id: 2) { id b: id name } a: pet(id: 1) { name } }',
    fast: [{}],
  },
  {
    query:
      '{ pets(filter: {status: [sold], categoryId: [7, 9223372036854775807]}, first: 2) { nodes { name } } }',
    fast: [{}],
  },
  {
    query: '{ pets(filter: {status: sold, namePrefix: null}, orderBy: null) { nodes { id } } }',
    fast: [{}],
  },
  {
    query: `query ($n: Int = 2, $after: String = null) { pets(first: $n, after: $after) { nodes { ...A ...B } pageInfo { ...P } } }
      fragment A on Pet { id ... on Pet { name } } fragment B on Pet { status name categoryId } fragment P on PageInfo { endCursor }`,
    fast: [{}, { n: 1 }, { after: null }],
    failing: [{ n: 101 }],
    toYoga: [{ n: '1' }, { n: null }],
  },
  {
    query:
      'query ($s: [PetStatus!], $c: [Int64!] = [7]) { one: pets(first: 1) { totalCount } pets { nodes { id } } x: pet(id: 5) { id } }',
    fast: [],
  },
  {
    query:
      '{ pets(first: 1) { pageInfo { hasNextPage } } pet(id: 1) { id } more: pets(last: 1) { totalCount } }',
    fast: [{}],
  },
  {
    query: 'query ($filter: PetFilter = {status: [sold]}) { pets(filter: $filter) { nodes { status } } }',
    fast: [{}, { filter: {} }],
    toYoga: [{ filter: null }],
  },
  {
    query: 'query ($id: ID = 1, $other: ID! = 2) { pet(id: $id) { name } node(id: $other) { id } }',
    fast: [{}, { id: '$0', other: '$1' }, { id: 'x', other: '' }],
    toYoga: [{ id: null }, { other: null }, { id: null, other: '$0' }, { id: [null] }],
  },
]
