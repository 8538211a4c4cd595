/** The servers that are measured, their operations, and the goals for the ratio of our throughput to theirs. */
import { join } from 'node:path'
import { buildGoPeer, GO_PEER } from './go.ts'
import { type Dialect, type Operation, OUR_DIALECT } from './operations.ts'
import { send } from './send.ts'

export interface Contender {
  title: string
  /** The command that starts it, run in the project's root; null: what `npm start` runs. */
  command: [program: string, ...args: string[]] | null
  /** The packages whose versions are reported with the results. */
  packages: string[]
  operations: readonly Operation[]
  /** The goals: our requests per second as a multiple of this peer's. */
  targets: Partial<Record<Operation, number>>
  /** Whether the goals are for each number of connections, not only for the first one. */
  isGoalForEach?: boolean
  /** Builds it. @returns why it cannot take part */
  prepare?: () => string | null
  /** Its GraphQL dialect, if it differs from our server's. */
  readDialect?: (url: string) => Promise<Dialect>
  /** Removes the allowed differences from an answer. If absent, its JSON has to match ours byte by byte. */
  normalize?: (answer: string) => string
}

const REST: Operation[] = ['get', 'list20', 'list100', 'create']
const GRAPHQL: Operation[] = ['graphqlPet', 'graphqlList']
/** What needs our filters and mutations, or is about how a document is written. */
const MORE_GRAPHQL: Operation[] = [
  'graphqlText',
  'graphqlInclude',
  'graphqlStatus',
  'graphqlStatuses',
  'graphqlMix',
  'graphqlCreate',
  'graphqlUpdate',
]
/** Peers run with our settings of V8, so that ratios are those of the programs. */
const V8_SETTINGS = ['--max-semi-space-size=16', '--no-allocation-site-pretenuring']
const peer = (name: string, ...args: string[]): [string, ...string[]] => [
  process.execPath,
  ...V8_SETTINGS,
  join(import.meta.dirname, 'peers', `${name}.ts`),
  ...args,
]

export const CONTENDERS = {
  ours: {
    title: 'Pet Store (this server)',
    command: null,
    packages: [],
    operations: [...REST, 'createOnce', ...GRAPHQL, ...MORE_GRAPHQL],
    targets: {},
  },
  hand: {
    title: 'hand-written peer',
    command: peer('hand'),
    packages: ['fastify', 'postgres'],
    operations: REST,
    targets: { get: 1.6, list20: 1.2, list100: 1.1, create: 1.5 },
  },
  silent: {
    title: 'hand-written, no NOTIFY',
    command: peer('hand', '--silent'),
    packages: [],
    operations: ['create'],
    targets: {},
  },
  go: {
    title: 'hand-written in Go',
    command: [GO_PEER],
    prepare: buildGoPeer,
    packages: [],
    operations: REST,
    targets: { get: 1, list20: 1, list100: 1, create: 1 },
    isGoalForEach: true,
  },
  events: {
    title: 'hand-written events',
    command: peer('hand-events'),
    packages: [],
    // What it is for, `subscribers` measures.
    operations: [],
    targets: {},
  },
  sofa: {
    title: 'SOFA',
    command: peer('sofa'),
    packages: ['sofa-api'],
    operations: REST,
    targets: {},
    // It returns null where the contract omits the status.
    normalize: (answer) => answer.replaceAll(',"status":null', ''),
  },
  mercurius: {
    title: 'Mercurius, JIT',
    command: peer('mercurius'),
    packages: ['mercurius', 'graphql'],
    operations: [...GRAPHQL, ...MORE_GRAPHQL],
    targets: { graphqlPet: 1.7, graphqlList: 1.2, graphqlStatuses: 1, graphqlMix: 1, graphqlUpdate: 1 },
  },
  postgraphile: {
    title: 'PostGraphile',
    command: peer('postgraphile'),
    packages: ['postgraphile', 'pg'],
    operations: GRAPHQL,
    targets: { graphqlPet: 3, graphqlList: 2 },
    readDialect: readPostgraphileDialect,
    // It has upper-case enum values, and its own cursors.
    normalize: (answer) => answer.toLowerCase().replace(/"endcursor":"[^"]*"/, ''),
  },
  apollo: {
    title: 'Apollo Server',
    command: peer('apollo'),
    packages: ['@apollo/server', '@as-integrations/fastify'],
    operations: GRAPHQL,
    targets: { graphqlPet: 3, graphqlList: 2 },
    // Its answers end with a newline.
    normalize: (answer) => answer.trimEnd(),
  },
  yoga: {
    title: 'GraphQL Yoga',
    command: peer('yoga'),
    packages: ['graphql-yoga'],
    operations: GRAPHQL,
    targets: { graphqlPet: 3, graphqlList: 2 },
  },
  ceiling: {
    title: 'ceiling: a constant',
    command: peer('ceiling'),
    packages: ['fastify'],
    operations: [...REST, ...GRAPHQL],
    targets: {},
  },
} as const satisfies Record<string, Contender>

export type ContenderName = keyof typeof CONTENDERS
export const CONTENDER_NAMES = Object.keys(CONTENDERS) as ContenderName[]

/** Its cursors contain a digest of the order besides the id; this extracts the digest from a cursor that it returned. */
async function readPostgraphileDialect(url: string): Promise<Dialect> {
  const query = '{ allPets(first: 1) { pageInfo { endCursor } } }'
  const answer = await send(url, { method: 'POST', path: '/graphql', body: JSON.stringify({ query }) })
  const cursor = /"endCursor":"([^"]+)"/.exec(answer)?.[1] ?? ''
  const digest = /^\["(\w+)","\d+"\]$/.exec(Buffer.from(cursor, 'base64').toString())?.[1]
  if (digest === undefined) throw new Error(`PostGraphile's cursors have a new format: ${answer}`)
  return {
    pet: OUR_DIALECT.pet
      .replace('$id: ID!', '$id: BigInt!')
      .replace('pet(id: $id) { id', 'pet: petByRowId(rowId: $id) { id: rowId'),
    pets: OUR_DIALECT.pets
      .replace('$after: String', '$after: Cursor')
      .replace('pets(first', 'pets: allPets(first')
      .replace('nodes { id', 'nodes { id: rowId'),
    encodeCursor: (id) => Buffer.from(JSON.stringify([digest, String(id)])).toString('base64'),
  }
}
