/** Clients that keep creating and reading pets through both APIs, and record what was acknowledged. */
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { idOf, nextPage, type TestClient } from '../support/client.ts'

/** Milliseconds to wait after a failure; otherwise a client would send failing requests in a busy loop. */
const PAUSE = 5

export interface Traffic {
  /** The name of each pet whose creation was acknowledged, by its id. */
  created: Map<string, string>
  /** The number of successful requests so far. */
  readonly succeeded: number
  /** The number of failed ones, by status or, without an answer, by error code. */
  failed: Map<number | string, number>
  /** Milliseconds of the slowest answer. */
  readonly slowest: number
  /** Resolves with performance.now() of the next success. */
  nextSuccess(): Promise<number>
  /** Resolves when every client has received its last answer. */
  stop(): Promise<void>
}

export interface TrafficOptions {
  writers: number
  readers: number
  /** Names for the pets to create, each different. */
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
  // A failing test never awaits it.
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
  /** The id of the pet, if its creation was acknowledged. */
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

/** A GraphQL answer with errors is a failure, whatever its status. */
function statusOf(errors: { extensions: Record<string, unknown> }[], status: number): number {
  const code = String(errors[0]?.extensions.code)
  return status === 200 ? ({ DATABASE_UNAVAILABLE: 503, TIMEOUT: 504 }[code] ?? 500) : status
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  throw error
}

/** The names of all pets by id. @throws AssertionError if an id occurs twice */
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

/** Compares what was acknowledged with what is stored. @returns the ids that are missing or belong to another pet */
export async function findLost(client: TestClient, created: Map<string, string>): Promise<string[]> {
  const kept = await readAll(client)
  return Array.from(created).flatMap(([id, name]) => (kept.get(id) === name ? [] : [id]))
}
