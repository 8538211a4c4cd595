/** The server uses no more memory after 20,000 requests of all kinds than before. */
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { idOf, type TestClient } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { describeGrowth, MEASURED, measureMemory } from './memory.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer } from './server.ts'

/** The requests between two garbage collections: only memory that is really in use counts. */
const ROUND = 5_000
const WARM_UP = 2 * ROUND
const REQUESTS = 4 * ROUND
const CLIENTS = 16
/** The allowed growth in MB: of the process, and of memory in use, which would reveal a leak of 1 kB per request. */
const MAX_GROWTH = { rss: 50, used: 15 }

endServersAfter(afterEach)

interface Kind {
  expected: number
  send: (client: TestClient, id: string) => Promise<{ status: number }>
}
const graphql = (expected: number, query: string, toVariables = (id: string): object => ({ id })): Kind => ({
  expected,
  send: (client, id) => client.graphql(query, toVariables(id)),
})
const newPet = { name: 'one of many', categoryId: 1, status: 'available' }

/** @param id of an existing pet */
const KINDS: Kind[] = [
  { expected: 200, send: (client) => client.send('/v1/pets?limit=20') },
  { expected: 200, send: (client) => client.send('/v1/pets?status=available&limit=100') },
  { expected: 200, send: (client, id) => client.send(`/v1/pets/${id}`) },
  { expected: 201, send: (client) => client.createPet(newPet) },
  {
    expected: 201,
    send: (client) => client.createPet(newPet, { headers: { 'idempotency-key': crypto.randomUUID() } }),
  },
  { expected: 400, send: (client) => client.createPet({ name: 1 }) },
  { expected: 400, send: (client) => client.post('/v1/pets', '{') },
  { expected: 400, send: (client) => client.send('/v1/pets?limit=0') },
  { expected: 401, send: (client) => client.send('/v1/pets', { key: 'wrong' }) },
  { expected: 404, send: (client) => client.send('/v1/pets/-1') },
  { expected: 404, send: (client) => client.send(`/${crypto.randomUUID()}`) },
  { expected: 405, send: (client) => client.send('/v1/pets', { method: 'DELETE' }) },
  { expected: 200, send: (client) => client.send('/graphql', { headers: { accept: 'text/html' } }) },
  { expected: 200, send: (client) => client.send('/readyz') },
  graphql(200, 'query ($id: ID!) { pet(id: $id) { id name categoryId status } }'),
  graphql(200, '{ pets(first: 20) { nodes { id name } edges { cursor } pageInfo { hasNextPage } } }'),
  graphql(
    200,
    '{ pets(filter: {namePrefix: "one"}, orderBy: {field: NAME, direction: ASC}) { nodes { id } } }',
  ),
  graphql(200, 'mutation ($input: NewPet!) { createPet(input: $input) { id } }', () => ({
    input: { name: 'over GraphQL', categoryId: '1' },
  })),
  graphql(200, 'mutation ($id: ID!) { updatePet(id: $id, input: {status: sold}) { id } }'),
  graphql(200, '{ nothing }'),
]

it(`${print(REQUESTS)} mixed requests after the warm-up leave no more memory in use`, async () => {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  const { url, program } = await startServer({ ...database.env, AUTH_FAILURE_LIMIT: 'off' }, MEASURED)
  const client = connectKeepingAlive(url, CLIENTS)
  const id = idOf(await client.createPet(newPet))
  const sendRounds = async (requests: number) => {
    let memory = await measureMemory(program)
    for (let count = 0; count < requests; count += ROUND) {
      await sendMixed(client, id, ROUND)
      memory = await measureMemory(program)
    }
    return memory
  }
  const before = await sendRounds(WARM_UP)
  const start = performance.now()
  const after = await sendRounds(REQUESTS)
  const seconds = (performance.now() - start) / 1_000

  report(
    `${print(REQUESTS)} mixed requests in ${seconds.toFixed(0)} s after ${print(WARM_UP)}: ${describeGrowth(before, after)}`,
  )
  expect(after.rss - before.rss).toBeLessThanOrEqual(MAX_GROWTH.rss)
  expect(after.used - before.used).toBeLessThanOrEqual(MAX_GROWTH.used)
})

async function sendMixed(client: TestClient, id: string, count: number): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index).values()
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const index of indexes) {
        const kind = KINDS[index % KINDS.length]
        if (kind)
          expect((await kind.send(client, id)).status, `kind ${index % KINDS.length}`).toBe(kind.expected)
      }
    }),
  )
}
