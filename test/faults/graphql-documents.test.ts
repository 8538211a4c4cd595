/** GraphQL documents that are cheap to send but expensive to process. */
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
const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels)
/** Each fragment contains the next one twice. */
const doubling = (levels: number) =>
  times(levels, (level) => `fragment f${level} on Pet { ...f${level + 1} ...f${level + 1} }`)

const BOMBS: Record<string, { query: string; variables?: string }> = {
  '3,000 levels of fields': { query: nested(3_000, '{a', '}') },
  '3,000 levels of lists': { query: `{ pets(filter: {status: ${nested(3_000, '[', ']')}}) { totalCount } }` },
  '3,000 levels of objects': { query: `{ pets(filter: ${nested(3_000, '{a:', '}')}) { totalCount } }` },
  '3,000 levels of types': { query: `query ($a: ${nested(3_000, '[', ']')}) { __typename }` },
  '1,000 aliases': { query: `{ ${times(1_000, (index) => `a${index}: __typename`)} }` },
  '1,000 aliases in a fragment': {
    query: `{ ...f ...f } fragment f on Query { ${times(500, (index) => `a${index}: __typename`)} }`,
  },
  '1,000 directives': { query: `{ __typename ${'@include(if: true) '.repeat(1_000)} }` },
  '30,000 duplicate fields': { query: `{ pet(id: 1) { ${'id '.repeat(30_000)} } }` },
  '1,900 duplicate fields': { query: `{ pet(id: 1) { ${'id '.repeat(1_900)} } }` },
  '40 levels of doubling fragments': {
    query: `{ pet(id: 1) { ...f0 } } ${doubling(40)} fragment f40 on Pet { id }`,
  },
  'a circle of fragments': {
    query: '{ pet(id: 1) { ...a } } fragment a on Pet { ...b } fragment b on Pet { ...a }',
  },
  '300 unused fragments': {
    query: `{ __typename } ${times(300, (index) => `fragment f${index} on Pet { id }`)}`,
  },
  '400 operations': { query: times(400, (index) => `query q${index} { __typename }`) },
  '100,000 levels in a variable': {
    query: 'query ($filter: PetFilter) { pets(filter: $filter) { totalCount } }',
    variables: `{"filter": {"status": ${nested(100_000, '[', ']')}}}`,
  },
  'introspection of introspection': {
    query: `{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }`,
  },
}

it('GraphQL bombs are rejected or answered quickly, and leave no memory in use', async () => {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  const { url, program } = await startServer(database.env, MEASURED)
  const client = connectKeepingAlive(url)
  await sendUniqueDocuments(client, 100, 'warm-up')
  const before = await measureMemory(program)

  let slowest = 0
  for (const [name, bomb] of Object.entries(BOMBS)) {
    // A document is compiled by the third time.
    for (let round = 0; round < 3; round += 1) {
      const start = performance.now()
      const { status, json } = await client.post('/graphql', bodyOf(bomb))
      slowest = Math.max(slowest, performance.now() - start)
      expect([200, 400, 413], name).toContain(status)
      if (status !== 413) expect(json, name).toMatchObject({ errors: [{ message: expect.any(String) }] })
    }
  }
  await sendUniqueDocuments(client, UNIQUE_DOCUMENTS, 'unique')
  const after = await measureMemory(program)

  report(
    `${Object.keys(BOMBS).length} GraphQL bombs and ${print(UNIQUE_DOCUMENTS)} documents of 16 kB: ` +
      `${describeGrowth(before, after)}; the slowest bomb took ${slowest.toFixed(0)} ms`,
  )
  // Those that work take minutes, or never end.
  expect(slowest).toBeLessThan(30_000)
  expect(after.used - before.used).toBeLessThanOrEqual(MAX_GROWTH)
})

/** By hand, since JSON.stringify has its own limit. @param variables as JSON */
function bodyOf({ query, variables = '{}' }: { query: string; variables?: string }): string {
  return `{"query": ${JSON.stringify(query)}, "variables": ${variables}}`
}

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
