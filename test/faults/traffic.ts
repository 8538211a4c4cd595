/** Clients that create and read pets through both APIs without a pause, and remember what was acknowledged. */
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { idOf, nextPage, type TestClient } from '../support/client.ts'

/** Milliseconds after a failure: a client that does not wait at all would only measure how fast it fails. */
const PAUSE = 5

export interface Traffic {
  /** The name of each pet whose creation was acknowledged, by its id. */
  created: Map<string, string>
  /** How many requests succeeded so far. */
  readonly succeeded: number
  /** How many did not, by status; or by the error's code, if there was no answer. */
  failed: Map<number | string, number>
  /** Milliseconds that the slowest answer took. */
  readonly slowest: number
  /** Resolves with performance.now() of the next success. */
  nextSuccess(): Promise<number>
  /** Resolves when every client has got its last answer. */
  stop(): Promise<void>
}

export interface TrafficOptions {
  writers: number
  readers: number
  /** Of a pet that is created; each is different. */
  newName?: () => string
}

export function startTraffic(
  client: TestClient,
  { writers, readers, newName = () => crypto.randomUUID() }: TrafficOptions,
): Traffic {
  const created = new Map<string, string>()
  const failed = new Map<number | string, number>()
  let succeeded = 0
  let slowest = 0
  let isStopped = false
  let next = Promise.withResolvers<number>()

  async function repeat(request: () => Promise<number>): Promise<void> {
    while (!isStopped) {
      const start = performance.now()
      const outcome = await request().catch(codeOf)
      slowest = Math.max(slowest, performance.now() - start)
      if (outcome === 200 || outcome === 201) {
        succeeded += 1
        next.resolve(performance.now())
      } else {
        failed.set(outcome, (failed.get(outcome) ?? 0) + 1)
        await setTimeout(PAUSE)
      }
    }
  }
  async function create(send: typeof createOverRest): Promise<number> {
    const name = newName()
    const { status, id } = await send(client, name)
    if (id !== undefined) {
      expect(created.has(id), `id ${id} was given twice`).toBe(false)
      created.set(id, name)
    }
    return status
  }
  const write = (index: number) => repeat(() => create(index % 2 === 0 ? createOverRest : createOverGraphql))
  const read = (index: number) => repeat(() => (index % 2 === 0 ? readOverRest : readOverGraphql)(client))
  const all = Promise.all([
    ...Array.from({ length: writers }, (_, index) => write(index)),
    ...Array.from({ length: readers }, (_, index) => read(index)),
  ])
  // A test that fails never waits for it.
  all.catch(() => undefined)
  return {
    created,
    failed,
    get succeeded() {
      return succeeded
    },
    get slowest() {
      return slowest
    },
    nextSuccess() {
      next = Promise.withResolvers<number>()
      return next.promise
    },
    async stop() {
      isStopped = true
      await all
    },
  }
}

interface Created {
  status: number
  /** Of the pet, if its creation was acknowledged. */
  id?: string
}

async function createOverRest(client: TestClient, name: string): Promise<Created> {
  const response = await client.createPet({ name, categoryId: 1 })
  const { status } = response
  return status === 201 ? { status, id: idOf(response) } : { status }
}

async function createOverGraphql(client: TestClient, name: string): Promise<Created> {
  const query = 'mutation ($input: NewPet!) { createPet(input: $input) { id } }'
  const { status, data, errors } = await client.graphql(query, { input: { name, categoryId: '1' } })
  if (errors) return { status: statusOf(errors, status) }
  return { status, id: (data?.createPet as { id: string }).id }
}

async function readOverRest(client: TestClient): Promise<number> {
  return (await client.send('/v1/pets?limit=5')).status
}

async function readOverGraphql(client: TestClient): Promise<number> {
  const { status, errors } = await client.graphql('{ pets(first: 5) { nodes { id name } } }')
  return errors ? statusOf(errors, status) : status
}

/** A GraphQL answer with errors is a failure whatever its status says. */
function statusOf(errors: { extensions: Record<string, unknown> }[], status: number): number {
  const code = String(errors[0]?.extensions.code)
  return status === 200 ? ({ DATABASE_UNAVAILABLE: 503, TIMEOUT: 504 }[code] ?? 500) : status
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  throw error
}

/** The names of all pets by their ids. @throws AssertionError if an id comes twice */
export async function readAll(client: TestClient): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  let path: string | undefined = '/v1/pets?limit=100'
  while (path) {
    const page = await client.send(path)
    expect(page.status).toBe(200)
    for (const { id, name } of page.json as { id: number; name: string }[]) {
      expect(names.has(String(id)), `pet ${id} comes twice`).toBe(false)
      names.set(String(id), name)
    }
    path = nextPage(page)
  }
  return names
}

/** Compares what was acknowledged with what is there. @returns the ids that are lost, or hold another pet */
export async function findLost(client: TestClient, created: Map<string, string>): Promise<string[]> {
  const kept = await readAll(client)
  return Array.from(created).flatMap(([id, name]) => (kept.get(id) === name ? [] : [id]))
}
