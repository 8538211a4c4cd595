/** Floods of GraphQL requests by one or two clients, with the memory limit of the examples of deployments. */
import { Agent } from 'node:http'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createClient, idOf, type TestClient } from '../support/client.ts'
import { createPostgresDatabase, type TestDatabase } from '../support/database.ts'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import {
  FILTERED,
  INVALID_REQUESTS,
  many,
  type SentRequest,
  unknownFields,
} from '../support/invalid-requests.ts'
import { createMemoryGroup, type MemoryGroup } from '../support/memory-limit.ts'
import { endPrograms } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { lockPets } from '../support/table-lock.ts'
import { MEASURED, measureMemory } from './memory.ts'
import { connectKeepingAlive, endServersAfter, type Server, startServer } from './server.ts'

const MEMORY = 2 ** 30
const HOSTILE = ['a-hostile-key-with-read-scope', 'another-hostile-key-with-read-scope'] as const
const CONNECTIONS = 12
/** How long another client may wait, in ms of the server's CPU time: time on the clock also passes when other processes run. */
const MAX_WAIT = 250
const STREAMS = 150
const REQUESTS = 240

endServersAfter(afterEach)

const reason = tryMemoryGroup()
if (reason) console.warn(`Floods of GraphQL requests are not tested: ${reason}.`)

function tryMemoryGroup(): string | null {
  const group = createMemoryGroup(MEMORY)
  if (typeof group === 'string') return group
  group.remove()
  return null
}

async function start(): Promise<Server & { database: TestDatabase }> {
  const database = await createPostgresDatabase()
  const group = createMemoryGroup(MEMORY) as MemoryGroup
  onTestFinished(async () => {
    await endPrograms()
    group.remove()
    await database.remove()
  })
  const keys = [`test:${KEY}`, ...HOSTILE.map((secret, index) => `hostile${index}:${secret}:read`)]
  const server = await startServer({ ...database.env, API_KEYS: keys.join(',') }, MEASURED, group.command)
  return { ...server, database }
}

/** The CPU time of the server's main thread so far, in ms. */
function cpuTimeOf({ program: { child } }: Server): number {
  const fields = readFileSync(`/proc/${child.pid}/task/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const connectAs = (url: string, key: string, maxSockets: number) =>
  createClient(url, key, { agent: new Agent({ keepAlive: true, maxSockets }) })

/** Sends requests over many connections until it is stopped. @returns stops, and how many bytes the largest answer had */
function flood(url: string, send: (client: TestClient) => Promise<{ text: string }>) {
  const client = connectAs(url, HOSTILE[0], CONNECTIONS)
  const stop = new AbortController()
  let largest = 0
  const senders = Array.from({ length: CONNECTIONS }, async () => {
    while (!stop.signal.aborted) {
      const { text } = await send(client)
      largest = Math.max(largest, Buffer.byteLength(text))
    }
  })
  return async () => {
    stop.abort()
    await Promise.all(senders)
    return largest
  }
}

/** Requests of each kind: known documents and new ones, reads and writes. @returns the longest wait for one, in ms of CPU time */
async function beAnother(
  server: Server,
  client: TestClient,
  id: string,
  count: () => number,
): Promise<number> {
  let longest = 0
  for (const send of [
    () => client.send(`/v1/pets/${id}`),
    () => client.send('/v1/pets'),
    () => client.graphql(FILTERED),
    () => client.graphql(`query q${count()} { pet(id: 1) { id } }`),
    () => client.graphql('mutation ($id: ID!) { updatePet(id: $id, input: {status: sold}) { id } }', { id }),
  ]) {
    const before = cpuTimeOf(server)
    expect((await send()).status).toBe(200)
    longest = Math.max(longest, cpuTimeOf(server) - before)
  }
  return longest
}

/** Each with another text, so that none is known. */
const post = (request: SentRequest, count: () => number) => (client: TestClient) =>
  client.post('/graphql', JSON.stringify({ ...request, query: `${request.query} #${count()}` }))

const FLOODS: Record<string, (count: () => number) => (client: TestClient) => Promise<{ text: string }>> = {
  ...Object.fromEntries(
    Object.entries(INVALID_REQUESTS)
      // Those that take longest; the others have unit tests.
      .filter(([name]) => /literal|fields of a|many times|conflict|circle|in a variable/.test(name))
      .map(([name, request]) => [name, (count) => post(request, count)]),
  ),
  'a compiled document, and 8,000 unknown fields of its variable': () => (client) =>
    client.post('/graphql', { query: FILTERED, variables: { f: unknownFields(4_000) } }),
  'a compiled document, and 990 unknown fields of its variable': () => (client) =>
    client.post('/graphql', { query: FILTERED, variables: { f: unknownFields(990) } }),
  'unknown fields of a literal by GET': (count) => (client) =>
    client.send(
      `/graphql?query=${encodeURIComponent(`{ pets(filter: {${many(600, (i) => `a${i}:1`)}}) { totalCount } } #${count()}`)}`,
    ),
  'variables by GET': () => (client) =>
    client.send(
      `/graphql?query=${encodeURIComponent(FILTERED)}&variables={"a":[${many(5_000, () => '0', ',')}]}`,
    ),
  'a persisted document that is unknown, and many extensions': () => (client) =>
    client.post('/graphql', JSON.stringify({ documentId: 'x', extensions: { a: Array(20_000).fill({}) } })),
  'valid documents with the most fields': (count) =>
    post(
      { query: `{ pet(id: 1) { ${many(90, () => `... { id name ${'categoryId '.repeat(10)} }`)} } }` },
      count,
    ),
  'valid documents of overlapping pages': (count) =>
    post({ query: `{ ${'pets(first:1){nodes{id}} '.repeat(90)} }` }, count),
}

describe.skipIf(reason)('in 1 GiB', () => {
  it('a flood of invalid or long documents keeps another client waiting for at most 250 ms of CPU time', async () => {
    const server = await start()
    const other = connectKeepingAlive(server.url)
    const id = idOf(await other.createPet({ name: 'Rex', categoryId: 1 }))
    for (let time = 0; time < 3; time += 1) await other.graphql(FILTERED)
    let documents = 0
    const count = () => (documents += 1)
    // V8 compiles what is used much: before that, everything takes several times as long.
    for (const create of Object.values(FLOODS)) {
      const client = connectAs(server.url, HOSTILE[0], CONNECTIONS)
      for (let time = 0; time < 2; time += 1) await create(count)(client)
    }
    await beAnother(server, other, id, count)
    for (const [name, create] of Object.entries(FLOODS)) {
      const stop = flood(server.url, create(count))
      await setTimeout(100)
      expect(await beAnother(server, other, id, count), name).toBeLessThanOrEqual(MAX_WAIT)
      expect(await stop(), name).toBeLessThan(64 * 2 ** 10)
    }
  })

  const CHANGED = 'subscription ($f: PetFilter) { petChanged(filter: $f) { kind pet { id name } } }'
  const categories = (count: number) => Array.from({ length: count }, () => '7')
  /** Each is sent many times; the text differs, so that none shares its document. */
  const SUBSCRIPTIONS: Record<string, (index: number) => SentRequest & { extensions?: object }> = {
    'nothing special': () => ({ query: CHANGED }),
    'an undeclared variable': () => ({ query: CHANGED, variables: { a: Array(990).fill({}) } }),
    extensions: () => ({ query: CHANGED, extensions: { a: Array(990).fill({}) } }),
    'a long text in an undeclared variable': () => ({ query: CHANGED, variables: { a: 'x'.repeat(8_000) } }),
    'one category many times': () => ({ query: CHANGED, variables: { f: { categoryId: categories(990) } } }),
    'one category many times in the document': (index) => ({
      query: `subscription S${index} { petChanged(filter: {categoryId: [${many(470, () => '7', ',')}]}) { kind } }`,
    }),
    'a long comment': (index) => ({ query: `${CHANGED} #${index}${'x'.repeat(8_000)}` }),
    'other operations': (index) => ({
      query: `${CHANGED.replace(' (', ` S${index} (`)} ${many(90, (i) => `query q${i} { __typename }`)}`,
      operationName: `S${index}`,
    }),
    'all that may be selected': (index) => ({
      query: `subscription { petChanged { kind pet { ${'id name '.repeat(240)} a${index}: id } } }`,
    }),
    fragments: (index) => ({
      query: `subscription { petChanged { ...f0 } } ${many(5, (i) => `fragment f${i} on PetEvent { kind ...f${i + 1} }`)}
        fragment f5 on PetEvent { pet { a${index}: id } }`,
    }),
    'inline fragments with directives': (index) => ({
      query: `subscription ($a: Boolean = true) { petChanged { ${'... @include(if: $a) { '.repeat(6)} a${index}: kind ${'} '.repeat(6)} } }`,
    }),
  }

  it(`${STREAMS} subscriptions cost little memory and time, whatever their requests were`, async () => {
    const server = await start()
    const other = connectKeepingAlive(server.url)
    for (const [name, create] of Object.entries(SUBSCRIPTIONS)) {
      const before = await measureMemory(server.program)
      const streams: EventStream[] = []
      for (let index = 0; index < STREAMS; index += 1) {
        const stream = await subscribe(server.url, HOSTILE[0], create(index))
        expect(stream.response.statusCode, name).toBe(200)
        streams.push(stream)
      }
      const after = await measureMemory(server.program)
      const cpu = cpuTimeOf(server)
      for (let time = 0; time < 3; time += 1)
        await other.createPet({ name: 'Rex', categoryId: 7, status: 'sold' })
      for (const stream of streams)
        for (let time = 0; time < 3; time += 1) expect(await stream.next(), name).toHaveProperty('data')
      // MB for each; parsed documents stay in a cache, of some 30 MB at most.
      expect((after.used - before.used) / STREAMS, name).toBeLessThan(0.3)
      expect((cpuTimeOf(server) - cpu) / 3, name).toBeLessThan(1_500)
      for (const stream of streams) stream.abort()
    }
  })

  /** In this media type, what is wrong with a document has a status. */
  const OWN_TYPE = { accept: 'application/graphql-response+json' }
  const WAITING: Record<string, (index: number) => object> = {
    'many values': (index) => ({ query: FILTERED, variables: { a: Array(490).fill({ index }) } }),
    'large documents': (index) => ({ query: `query q${index} { pets { nodes { ${'id '.repeat(600)} } } }` }),
    'long filters': (index) => ({
      query: FILTERED,
      variables: { f: { namePrefix: `${index}${'x'.repeat(400)}` } },
    }),
  }

  it('while requests of two keys wait for the database, those of another key are answered', async () => {
    const server = await start()
    const other = connectKeepingAlive(server.url)
    const id = idOf(await other.createPet({ name: 'Rex', categoryId: 1 }))
    for (const [name, create] of Object.entries(WAITING)) {
      const lock = await lockPets(server.database.env.DATABASE_URL ?? '')
      const clients = HOSTILE.map((key) => connectAs(server.url, key, REQUESTS))
      const answers = clients.flatMap((client) =>
        Array.from({ length: REQUESTS }, (_, index) =>
          client.post('/graphql', JSON.stringify(create(index)), { headers: OWN_TYPE }),
        ),
      )
      const healthy = other.send('/healthz')
      const statuses = new Set((await Promise.all(answers)).map(({ status }) => status))
      expect((await healthy).status).toBe(200)
      await lock.release()
      // 408: this process was too busy to send them.
      expect([400, 408, 503, 504], name).toEqual(expect.arrayContaining([...statuses]))
      await eventually(async () => expect((await other.send(`/v1/pets/${id}`)).status).toBe(200))
    }
    expect(server.program.child.exitCode).toBeNull()
  })
})
