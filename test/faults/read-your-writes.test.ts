/**
 * Random writes and reads by several keys on two servers, while the standby sometimes replays nothing: no key misses its own write. The
 * second server writes through PgBouncer, if there is one.
 */
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import createSql from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idOf, type TestClient } from '../support/client.ts'
import { hasPgbouncer, startPgbouncer, type TestPooler } from '../support/pgbouncer.ts'
import { startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'
import { clientOf, startReadingServer, untilUsed } from './standbys.ts'
import { endServersAfter, print, report, type Server } from './server.ts'

/** SEED repeats a run, apart from what the standby does meanwhile. */
const seed = Number(process.env.SEED ?? (process.env.CI ? 1 : Date.now() % 2 ** 31))
const KEYS = 8

let primary: TestPostgres
let standby: TestPostgres
let pooler: TestPooler | null = null
let servers: [Server, Server]
beforeAll(async () => {
  primary = await startPostgres()
  standby = await startStandby(primary)
  // Fewer connections than the server's, so that its statements change places.
  if (hasPgbouncer) pooler = await startPgbouncer(primary.url, { default_pool_size: '3' })
  const throughPooler = pooler && {
    DATABASE_URL: pooler.toUrl(primary.url),
    DATABASE_LISTEN_URL: primary.url,
  }
  // The first one migrates.
  servers = [
    await startReadingServer(primary, standby.url),
    await startReadingServer(primary, standby.url, { ...throughPooler }),
  ]
  await Promise.all(servers.map(untilUsed))
})
endServersAfter(afterAll)
afterAll(() => pooler?.remove())
afterAll(() => Promise.all([primary.remove(), standby.remove()]))

const step = fc.record({
  kind: fc.constantFrom('create', 'update', 'delete', 'read', 'read', 'read', 'read'),
  api: fc.constantFrom('rest', 'graphql'),
  server: fc.constantFrom(0 as const, 1 as const),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** One client: what it has written last, through which server, and the token that it got. */
class Client {
  #pet: { id: string; name: string | null } | null = null
  #token = ''
  #lastServer = 0
  #writes = 0
  readonly #key: number
  reads = 0

  constructor(key: number) {
    this.#key = key
  }

  async take({ kind, api, server }: Step): Promise<void> {
    const client = clientOf(servers[server], this.#key)
    if (kind === 'read') {
      if (this.#pet) await this.#read(client, server, api, this.#pet)
      return
    }
    this.#writes += 1
    this.#lastServer = server
    const name = `${this.#key} ${this.#writes}`
    if (!this.#pet?.name || kind === 'create') await this.#create(client, api, name)
    else if (kind === 'update')
      await this.#mutate(client, `updatePet(id: "${this.#pet.id}", input: {name: "${name}"})`, name)
    else await this.#mutate(client, `deletePet(id: "${this.#pet.id}")`, null)
  }

  async #create(client: TestClient, api: string, name: string): Promise<void> {
    if (api === 'graphql')
      return this.#mutate(client, `createPet(input: {name: "${name}", categoryId: 1})`, name)
    const response = await client.createPet({ name, categoryId: 1 })
    expect(response.status).toBe(201)
    this.#pet = { id: idOf(response), name }
    this.#token = String(response.headers['consistency-token'])
  }

  async #mutate(client: TestClient, mutation: string, name: string | null): Promise<void> {
    const { json, headers } = await client.post('/graphql', { query: `mutation { pet: ${mutation} { id } }` })
    this.#pet = { id: (json as { data: { pet: { id: string } } }).data.pet.id, name }
    this.#token = String(headers['consistency-token'])
  }

  async #read(
    client: TestClient,
    server: number,
    api: string,
    { id, name }: { id: string; name: string | null },
  ) {
    this.reads += 1
    const headers: Record<string, string> =
      server === this.#lastServer ? {} : { 'consistency-token': this.#token }
    if (api === 'rest') {
      const { json } = await client.send(`/v1/pets/${id}`, { headers })
      expect(json).toMatchObject(name === null ? { code: 'PET_NOT_FOUND' } : { name })
    } else {
      const query = `{ pet(id: "${id}") { name } }`
      const { json } = await client.post('/graphql', { query }, { headers })
      expect(json).toEqual({ data: { pet: name === null ? null : { name } } })
    }
  }
}

/** @returns how often */
async function pauseNowAndThen(signal: AbortSignal): Promise<number> {
  const sql = createSql(standby.url, { max: 1 })
  let count = 0
  for (; !signal.aborted; count += 1) {
    await sql`select pg_wal_replay_pause()`
    await setTimeout(20)
    await sql`select pg_wal_replay_resume()`
    await setTimeout(40)
  }
  await sql.end()
  return count
}

it('no key ever misses its own write', async () => {
  const stopping = new AbortController()
  const pauses = pauseNowAndThen(stopping.signal)
  let reads = 0
  const sequences = fc.array(fc.array(step, { minLength: 30, maxLength: 60 }), {
    minLength: KEYS,
    maxLength: KEYS,
  })
  await fc.assert(
    fc.asyncProperty(sequences, async (sequences) => {
      const clients = sequences.map((_, key) => new Client(key))
      await Promise.all(
        sequences.map(async (steps, key) => {
          for (const each of steps) await clients[key]?.take(each)
        }),
      )
      reads += clients.reduce((sum, client) => sum + client.reads, 0)
    }),
    { seed, numRuns: 3, endOnFailure: true },
  )
  stopping.abort()
  report(`${print(reads)} reads of own writes, the standby paused ${await pauses} times, SEED=${seed}`)
})
