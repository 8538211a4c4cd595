/** Many GraphQL documents, each different, and some beyond a limit. */
import { afterEach, expect, it, onTestFinished } from 'vitest'
import type { TestClient } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { describeGrowth, MEASURED, measureMemory } from './memory.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer } from './server.ts'

/** The maximum growth of memory in use, in MB. */
const MAX_GROWTH = 50
const UNIQUE_DOCUMENTS = 5_000

endServersAfter(afterEach)

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')

/** Lower than the defaults, so that what exceeds them is small. */
const GRAPHQL_LIMITS = 'depth=4,aliases=4,directives=4,cost=400'
/** Documents just beyond each limit. */
const BEYOND: Record<string, string> = {
  depth: '{ __schema { types { fields { type { name } } } } }',
  aliases: `{ ${times(5, (index) => `a${index}: __typename`)} }`,
  'aliases in a fragment': `{ ...f ...f ...f } fragment f on Query { a: __typename b: __typename }`,
  directives: `{ ${'... @include(if: true) { '.repeat(5)} __typename ${'} '.repeat(5)} }`,
  cost: `{ pets(first: 100) { nodes { ${times(4, () => 'id')} } } }`,
  'cost of a fragment': `{ pets(first: 50) { nodes { ...f ...f } } } fragment f on Pet { ...g ...g } fragment g on Pet { id name }`,
}

it('documents beyond a limit are rejected, others answered, and none leaves memory in use', async () => {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  const { url, program } = await startServer({ ...database.env, GRAPHQL_LIMITS }, MEASURED)
  const client = connectKeepingAlive(url)
  await sendUniqueDocuments(client, 100, 'warm-up')
  const before = await measureMemory(program)
  for (const [name, query] of Object.entries(BEYOND)) {
    // A document is compiled by the third time.
    for (let round = 0; round < 3; round += 1) {
      const { errors } = await client.graphql(query)
      expect(errors, name).toMatchObject([{ extensions: { code: 'INVALID_REQUEST' } }])
    }
  }
  await sendUniqueDocuments(client, UNIQUE_DOCUMENTS, 'unique')
  const after = await measureMemory(program)

  report(
    `${Object.keys(BEYOND).length} documents beyond a limit, and ${print(UNIQUE_DOCUMENTS)} of 16 kB: ` +
      describeGrowth(before, after),
  )
  expect(after.used - before.used).toBeLessThanOrEqual(MAX_GROWTH)
})

/** Valid documents of 16 kB, each different. */
async function sendUniqueDocuments(client: TestClient, count: number, name: string): Promise<void> {
  const send = async (index: number) => {
    const fields = times(60, (field) => `name # ${name} ${index} ${'x'.repeat(200)} ${field}\n`)
    const { errors } = await client.graphql(`query Q${index} { pet(id: 1) { ${fields} } }`)
    expect(errors).toBeUndefined()
  }
  const indexes = Array.from({ length: count }, (_, index) => index).values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const index of indexes) await send(index)
    }),
  )
}
