/** Who is measured, in which operations, and how far behind they are to be. */
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { type Dialect, type Operation, OUR_DIALECT } from './operations.ts'
import { send } from './send.ts'

export interface Contender {
  title: string
  /** What starts it, from the top of the project. */
  command: [program: string, ...args: string[]]
  /** The packages whose versions say what was measured. */
  packages: string[]
  operations: readonly Operation[]
  /** How many times a peer's requests per second ours are to be. */
  targets: Partial<Record<Operation, number>>
  /** How it wants to be asked in GraphQL; absent: as our server. */
  readDialect?: (url: string) => Promise<Dialect>
  /** Takes out of the text of an answer what may be said in either way; absent: its JSON has to be ours, to the byte. */
  normalize?: (answer: string) => string
}

const REST: Operation[] = ['get', 'list20', 'list100', 'create']
const GRAPHQL: Operation[] = ['graphqlPet', 'graphqlList']
const peer = (name: string, ...args: string[]): Contender['command'] => [
  process.execPath,
  join(import.meta.dirname, 'peers', `${name}.ts`),
  ...args,
]

export const CONTENDERS = {
  ours: {
    title: 'Pet Store (this server)',
    // What `npm start` runs.
    command: ['sh', '-c', manifest.scripts.start],
    packages: [],
    operations: [...REST, ...GRAPHQL],
    targets: {},
  },
  hand: {
    title: 'written by hand',
    command: peer('hand'),
    packages: ['fastify', 'postgres'],
    operations: REST,
    targets: { get: 2, list20: 1.2, list100: 1.1, create: 1.5 },
  },
  silent: {
    title: 'by hand, telling nobody of changes',
    command: peer('hand', '--silent'),
    packages: [],
    operations: ['create'],
    targets: {},
  },
  sofa: {
    title: 'SOFA',
    command: peer('sofa'),
    packages: ['sofa-api'],
    operations: REST,
    targets: {},
    // It says null where the contract leaves a status out.
    normalize: (answer) => answer.replaceAll(',"status":null', ''),
  },
  mercurius: {
    title: 'Mercurius, JIT',
    command: peer('mercurius'),
    packages: ['mercurius', 'graphql'],
    operations: GRAPHQL,
    targets: { graphqlPet: 2, graphqlList: 1.2 },
  },
  postgraphile: {
    title: 'PostGraphile',
    command: peer('postgraphile'),
    packages: ['postgraphile', 'pg'],
    operations: GRAPHQL,
    targets: { graphqlPet: 3, graphqlList: 2 },
    readDialect: readPostgraphileDialect,
    // Enum values in capitals, and cursors of its own.
    normalize: (answer) => answer.toLowerCase().replace(/"endcursor":"[^"]*"/, ''),
  },
  apollo: {
    title: 'Apollo Server',
    command: peer('apollo'),
    packages: ['@apollo/server', '@as-integrations/fastify'],
    operations: GRAPHQL,
    targets: { graphqlPet: 3, graphqlList: 2 },
    // It ends with a new line.
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
    title: 'ceiling: Fastify, a constant',
    command: peer('ceiling'),
    packages: ['fastify'],
    operations: [...REST, ...GRAPHQL],
    targets: {},
  },
} as const satisfies Record<string, Contender>

export type ContenderName = keyof typeof CONTENDERS
export const CONTENDER_NAMES = Object.keys(CONTENDERS) as ContenderName[]

/** Its cursors hold a digest of the order beside the id: read off one that it has given out. */
async function readPostgraphileDialect(url: string): Promise<Dialect> {
  const query = '{ allPets(first: 1) { pageInfo { endCursor } } }'
  const answer = await send(url, { method: 'POST', path: '/graphql', body: JSON.stringify({ query }) })
  const cursor = /"endCursor":"([^"]+)"/.exec(answer)?.[1] ?? ''
  const digest = /^\["(\w+)","\d+"\]$/.exec(Buffer.from(cursor, 'base64').toString())?.[1]
  if (digest === undefined) throw new Error(`PostGraphile's cursors have changed: ${answer}`)
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
