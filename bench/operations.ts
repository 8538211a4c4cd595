/** The operations that are measured, and the random requests for each. */

export const OPERATIONS = [
  'get',
  'list20',
  'list100',
  'create',
  'createOnce',
  'graphqlPet',
  'graphqlText',
  'graphqlInclude',
  'graphqlList',
  'graphqlStatus',
  'graphqlStatuses',
  'graphqlMix',
  'graphqlCreate',
  'graphqlUpdate',
] as const
export type Operation = (typeof OPERATIONS)[number]

export const TITLES: Record<Operation, string> = {
  get: 'REST getPet',
  list20: 'REST listPets, 20 by status',
  list100: 'REST listPets, 100',
  create: 'REST createPet',
  createOnce: 'REST createPet, Idempotency-Key',
  graphqlPet: 'GraphQL pet by id',
  graphqlText: 'GraphQL pet, its id in the document',
  graphqlInclude: 'GraphQL pet with @include',
  graphqlList: 'GraphQL list of 20',
  graphqlStatus: 'GraphQL list of 20, a variable in its filter',
  graphqlStatuses: 'GraphQL list of 20, two statuses',
  graphqlMix: 'GraphQL list, status and categories',
  graphqlCreate: 'GraphQL createPet',
  graphqlUpdate: 'GraphQL updatePet',
}

export interface Request {
  method: 'GET' | 'POST'
  path: string
  /** The JSON body of a POST. */
  body?: string
  /** Whether each sending has an Idempotency-Key of its own. */
  isOnce?: boolean
}

/** What differs between GraphQL servers: their documents and their cursors. */
export interface Dialect {
  pet: string
  pets: string
  encodeCursor(id: number): string
}

const FIELDS = 'id name categoryId status'
/** What only servers with our schema are asked. */
const FILTERED = `query Pets($filter: PetFilter) { pets(first: 20, filter: $filter) { nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`
const OF_STATUS = FILTERED.replace('$filter: PetFilter', '$status: PetStatus!').replace(
  '$filter',
  '{status: [$status]}',
)
const INCLUDED = `query Pet($id: ID!, $all: Boolean!) { pet(id: $id) { id name categoryId status @include(if: $all) } }`
const CREATE = `mutation Create($input: NewPet!) { createPet(input: $input) { ${FIELDS} } }`
const UPDATE = `mutation Update($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { ${FIELDS} } }`

export const OUR_DIALECT: Dialect = {
  pet: 'query Pet($id: ID!) { pet(id: $id) { id name categoryId status } }',
  pets: 'query Pets($after: String) { pets(first: 20, after: $after) { nodes { id name categoryId status } pageInfo { hasNextPage endCursor } } }',
  encodeCursor: (id) => Buffer.from(`id:${id}`).toString('base64url'),
}

export interface Sample {
  /** The number of pets, with ids from 1. */
  rows: number
  /** The same seed gives the same requests. */
  seed: number
  count?: number
  dialect: Dialect
}

/** Enough different requests that none repeats while its data is still cached anywhere but in Postgres. */
export const MANY = 50_000

const STATUSES = ['available', 'pending', 'sold'] as const
const CATEGORIES = Array.from({ length: 1_000 }, (_, category) => String(category))

/** Random requests for an operation, equivalent for every server. */
export function createRequests(
  operation: Operation,
  { rows, seed, count = MANY, dialect }: Sample,
): Request[] {
  const random = createRandom(seed)
  const pickId = () => 1 + random(rows)
  // Leaves a full page of any status after it.
  const pickCursor = () => random(Math.max(1, rows - 1_000))
  const pickStatus = () => STATUSES[random(STATUSES.length)]
  const pickTwo = <Value>(values: readonly Value[]) => {
    const first = random(values.length)
    return [values[first], values[(first + 1 + random(values.length - 1)) % values.length]]
  }
  const ask = (query: string, variables: object): Request => ({
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query, variables }),
  })
  const list = (query: string): Request => ({
    method: 'GET',
    path: `/v1/pets?${query}&after=${OUR_DIALECT.encodeCursor(pickCursor())}`,
  })
  const newPet = () => ({ name: `Pet ${random(rows)}`, categoryId: random(1_000), status: pickStatus() })
  const post = (): Request => ({ method: 'POST', path: '/v1/pets', body: JSON.stringify(newPet()) })
  const create: Record<Operation, () => Request> = {
    get: () => ({ method: 'GET', path: `/v1/pets/${pickId()}` }),
    list20: () => list(`limit=20&status=${pickStatus()}`),
    list100: () => list('limit=100'),
    create: post,
    createOnce: () => ({ ...post(), isOnce: true }),
    graphqlPet: () => ask(dialect.pet, { id: String(pickId()) }),
    graphqlText: () => ask(`{ pet(id: "${pickId()}") { ${FIELDS} } }`, {}),
    graphqlInclude: () => ask(INCLUDED, { id: String(pickId()), all: true }),
    graphqlStatus: () => ask(OF_STATUS, { status: pickStatus() }),
    graphqlStatuses: () => ask(FILTERED, { filter: { status: pickTwo(STATUSES) } }),
    graphqlMix: () => ask(FILTERED, { filter: { status: [pickStatus()], categoryId: pickTwo(CATEGORIES) } }),
    graphqlCreate: () => ask(CREATE, { input: newPet() }),
    graphqlUpdate: () => ask(UPDATE, { id: String(pickId()), input: { name: `Pet ${random(rows)}` } }),
    graphqlList: () => ask(dialect.pets, { after: dialect.encodeCursor(pickCursor()) }),
  }
  return Array.from({ length: count }, create[operation])
}

/** Mulberry32: small, and random enough to reach every part of a table. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
