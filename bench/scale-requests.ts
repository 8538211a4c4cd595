/** The requests that are measured in a large table, and in a small one. */
import { createRandom, createRequests, MANY, OUR_DIALECT, type Request } from './operations.ts'

/** The smallest table. */
export const SMALL = 10_000
/** One pet of so many has the rare status. */
export const RARE = 10_000

export interface Shape {
  title: string
  /** Whether one index has what is asked, or a range of it for each value: then it must not cost more in a larger table. */
  isIndexed: boolean
  /** @param rows the number of pets, with ids from 1 */
  create: (rows: number, seed: number) => Request[]
}

const FIELDS = 'id name categoryId status'
const PAGE = `query Pets($filter: PetFilter, $orderBy: PetOrder) { pets(first: 20, filter: $filter, orderBy: $orderBy) { nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`
const COUNT =
  'query Count($filter: PetFilter) { pets(first: 1, filter: $filter) { totalCount nodes { id } } }'
const COUNTS = '{ petCounts { status count } }'
const BY_ID = { field: 'ID', direction: 'ASC' }
const CATEGORIES = 1_000

export const SHAPES: readonly Shape[] = [
  { title: 'a pet by its id', isIndexed: true, create: like('get') },
  { title: 'a list', isIndexed: true, create: (_, seed) => listAfter(seed, 'limit=20', 0, SMALL / 2) },
  {
    title: 'of one status',
    isIndexed: true,
    create: (_, seed) => listAfter(seed, 'limit=20&status=sold', 0, SMALL / 2),
  },
  {
    title: 'of a rare status',
    isIndexed: true,
    create: () => [ask(PAGE, { filter: { status: ['pending'] } })],
  },
  {
    title: 'of two statuses',
    isIndexed: true,
    create: () => [ask(PAGE, { filter: { status: ['sold', 'pending'] } })],
  },
  {
    title: 'a deep page',
    isIndexed: true,
    create: (rows, seed) => listAfter(seed, 'limit=20', rows - SMALL / 2, rows - 100),
  },
  {
    title: 'a prefix of the name, by name',
    isIndexed: true,
    create: (_, seed) =>
      random(seed, (pick) => ask(PAGE, { filter: { namePrefix: `pet ${100 + pick(900)}` } })),
  },
  { title: 'a creation', isIndexed: true, create: like('create') },
  { title: 'an update', isIndexed: true, create: like('graphqlUpdate') },
  {
    title: '40 categories',
    isIndexed: false,
    create: (_, seed) =>
      random(seed, (pick) => {
        const first = pick(CATEGORIES)
        const categoryId = Array.from({ length: 40 }, (_, index) => String((first + 17 * index) % CATEGORIES))
        return ask(PAGE, { filter: { categoryId } })
      }),
  },
  {
    title: 'a prefix of the name, by id',
    isIndexed: false,
    create: (rows, seed) =>
      random(seed, (pick) =>
        ask(PAGE, { filter: { namePrefix: `pet ${rows - 1 - pick(100)}` }, orderBy: BY_ID }),
      ),
  },
  {
    title: 'totalCount of a status',
    isIndexed: false,
    create: () => [ask(COUNT, { filter: { status: ['sold'] } })],
  },
  { title: 'totalCount', isIndexed: false, create: () => [ask(COUNT, {})] },
  { title: 'petCounts', isIndexed: false, create: () => [ask(COUNTS, {})] },
]

function like(operation: 'get' | 'create' | 'graphqlUpdate') {
  return (rows: number, seed: number) => createRequests(operation, { rows, seed, dialect: OUR_DIALECT })
}

function ask(query: string, variables: object): Request {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) }
}

function random(seed: number, create: (pick: (below: number) => number) => Request): Request[] {
  const pick = createRandom(seed)
  return Array.from({ length: MANY }, () => create(pick))
}

/** Pages that start at random ids between two bounds. */
function listAfter(seed: number, query: string, from: number, to: number): Request[] {
  return random(seed, (pick) => ({
    method: 'GET',
    path: `/v1/pets?${query}&after=${OUR_DIALECT.encodeCursor(from + pick(to - from))}`,
  }))
}
