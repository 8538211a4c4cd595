/**
 * Random writes and reads by several keys on two servers with two standbys, one of which sometimes replays nothing, while the other is
 * always behind: no key misses its own write, or sees an older state than before. The second server writes through PgBouncer, if there
 * is one.
 */
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import createSql from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idOf, type TestClient, type TestResponse } from '../support/client.ts'
import { hasPgbouncer, startPgbouncer, type TestPooler } from '../support/pgbouncer.ts'
import { runOn, startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'
import { clientOf, startReadingServer, untilAllUsed } from './standbys.ts'
import { endServersAfter, print, report, type Server } from './server.ts'
import { seed } from '../support/seed.ts'

const KEYS = 8
const LIST = '{ pets(first: 100) { nodes { name } } }'

type Headers = Record<string, string>
interface Named {
  name: string
}
/** One that a client has written; without a name, it has been deleted. */
interface Pet {
  id: string
  name: string | null
}

/** How many pets are updated in turn: the one with the index `n % REGISTERS` gets the name `n`. */
const REGISTERS = 4

let primary: TestPostgres
/** The first one is paused now and then, the second one is always behind. */
let standbys: TestPostgres[]
/** The ids of the pets that are updated in turn, and the token of their creation. */
let registers: string[]
let firstToken: string
let pooler: TestPooler | null = null
let servers: [Server, Server]
beforeAll(async () => {
  primary = await startPostgres()
  const late = await startStandby(primary)
  standbys = [await startStandby(primary), late]
  await runOn(late.url, `alter system set recovery_min_apply_delay = '50ms'`)
  await runOn(late.url, 'select pg_reload_conf()')
  // Fewer connections than the server's, so that its statements change places.
  if (hasPgbouncer) pooler = await startPgbouncer(primary.url, { default_pool_size: '3' })
  const throughPooler = pooler && {
    DATABASE_URL: pooler.toUrl(primary.url),
    DATABASE_LISTEN_URL: primary.url,
  }
  const readUrls = standbys.map(({ url }) => url).join(' ')
  // The first one migrates.
  servers = [
    await startReadingServer(primary, readUrls),
    await startReadingServer(primary, readUrls, { ...throughPooler }),
  ]
  await Promise.all(servers.map((server) => untilAllUsed(server, standbys.length)))
  await createRegisters()
})
endServersAfter(afterAll)
afterAll(() => pooler?.remove())
afterAll(() => Promise.all([primary, ...standbys].map((postgres) => postgres.remove())))

async function createRegisters(): Promise<void> {
  registers = []
  for (let index = 0; index < REGISTERS; index += 1) {
    const response = await clientOf(servers[0], KEYS).createPet({ name: String(index), categoryId: 1 })
    registers.push(idOf(response))
    firstToken = tokenOf(response)
  }
}

const tokenOf = ({ headers }: Pick<TestResponse, 'headers'>) => String(headers['consistency-token'])

/** What the register with this index holds in the state after the update with this number. */
function valueAt(state: number, index: number): number {
  return state - ((((state - index) % REGISTERS) + REGISTERS) % REGISTERS)
}

const step = fc.record({
  kind: fc.constantFrom(
    'create',
    'update',
    'delete',
    'own',
    'own',
    'list',
    'list',
    'register',
    'register',
    'at once',
  ),
  api: fc.constantFrom('rest', 'graphql'),
  server: fc.constantFrom(0 as const, 1 as const),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A client with its own key: what it has written last, the latest state that it has seen, and the token of its last answer. */
class Client {
  #pet: Pet | null = null
  /** The number of the latest update that it has seen. */
  #seen = REGISTERS - 1
  #token = firstToken
  #lastServer: number | null = null
  #writes = 0
  readonly #key: number
  reads = 0

  constructor(key: number) {
    this.#key = key
  }

  async take({ kind, api, server }: Step): Promise<void> {
    const own = this.#pet
    // There is nothing to read, and no answer whose token the next request could lack.
    if (kind === 'own' && !own) return
    const client = clientOf(servers[server], this.#key)
    const headers: Record<string, string> =
      server === this.#lastServer ? {} : { 'consistency-token': this.#token }
    this.#lastServer = server
    if (kind === 'own' && own) return this.#readOwn(own, client, api, headers)
    if (kind === 'list') return this.#list(client, api, headers)
    if (kind === 'register') return this.#readRegister(client, api, headers)
    if (kind === 'at once') {
      await Promise.all([1, 2, 3].map(() => this.#readRegister(client, api, headers)))
      // Answers may arrive in another order; the token of one that was asked for afterwards stands for all.
      return this.#list(client, api, {})
    }
    this.#writes += 1
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
    this.#token = tokenOf(response)
  }

  async #mutate(client: TestClient, mutation: string, name: string | null): Promise<void> {
    const response = await client.post('/graphql', { query: `mutation { pet: ${mutation} { id } }` })
    this.#pet = { id: (response.json as { data: { pet: { id: string } } }).data.pet.id, name }
    this.#token = tokenOf(response)
  }

  async #readOwn({ id, name }: Pet, client: TestClient, api: string, headers: Headers): Promise<void> {
    expect(await this.#findName(client, api, id, headers)).toBe(name)
  }

  async #readRegister(client: TestClient, api: string, headers: Headers): Promise<void> {
    const index = this.reads % REGISTERS
    const expected = valueAt(this.#seen, index)
    const value = Number(await this.#findName(client, api, registers[index] ?? '', headers))
    expect(value, `register ${index}, after the state ${this.#seen} was seen`).toBeGreaterThanOrEqual(
      expected,
    )
    this.#seen = Math.max(this.#seen, value)
  }

  async #list(client: TestClient, api: string, headers: Headers): Promise<void> {
    this.reads += 1
    const seen = this.#seen
    const response =
      api === 'rest'
        ? await client.send('/v1/pets?limit=100', { headers })
        : await client.post('/graphql', { query: LIST }, { headers })
    const pets =
      api === 'rest'
        ? (response.json as Named[])
        : (response.json as { data: { pets: { nodes: Named[] } } }).data.pets.nodes
    const values = pets.slice(0, REGISTERS).map(({ name }) => Number(name))
    const state = Math.max(...values)
    expect(values).toEqual(registers.map((_, index) => valueAt(state, index)))
    expect(state, 'the state that a list shows').toBeGreaterThanOrEqual(seen)
    this.#seen = Math.max(this.#seen, state)
    this.#token = tokenOf(response)
  }

  async #findName(client: TestClient, api: string, id: string, headers: Headers): Promise<string | null> {
    this.reads += 1
    const response =
      api === 'rest'
        ? await client.send(`/v1/pets/${id}`, { headers })
        : await client.post('/graphql', { query: `{ pet(id: "${id}") { name } }` }, { headers })
    this.#token = tokenOf(response)
    if (api === 'graphql') return (response.json as { data: { pet: Named | null } }).data.pet?.name ?? null
    if (response.status === 404) return null
    expect(response.status).toBe(200)
    return (response.json as Named).name
  }
}

/** Updates the registers in turn, each after the one before is committed. @returns the number of updates */
async function updateInTurn(signal: AbortSignal): Promise<number> {
  const sql = createSql(primary.url, { max: 1 })
  let count = REGISTERS
  for (; !signal.aborted; count += 1) {
    await sql`update pets set name = ${String(count)} where id = ${registers[count % REGISTERS] ?? ''}`
    await setTimeout(2)
  }
  await sql.end()
  return count - REGISTERS
}

/** @returns how often */
async function pauseNowAndThen(signal: AbortSignal): Promise<number> {
  const sql = createSql(standbys[0]?.url ?? '', { max: 1 })
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

it('no key ever misses its own write, or sees an older state than it has seen', async () => {
  const stopping = new AbortController()
  const pauses = pauseNowAndThen(stopping.signal)
  const updates = updateInTurn(stopping.signal)
  const sequences = fc.array(fc.array(step, { minLength: 30, maxLength: 60 }), {
    minLength: KEYS,
    maxLength: KEYS,
  })
  // Across runs, too, each key goes on from what it has seen.
  const clients = Array.from({ length: KEYS }, (_, key) => new Client(key))
  try {
    await fc.assert(
      fc.asyncProperty(sequences, (sequences) =>
        Promise.all(
          sequences.map(async (steps, key) => {
            for (const each of steps) await clients[key]?.take(each)
          }),
        ).then(() => undefined),
      ),
      { seed, numRuns: 3, endOnFailure: true },
    )
  } finally {
    stopping.abort()
    await Promise.all([pauses, updates])
  }
  const reads = clients.reduce((sum, client) => sum + client.reads, 0)
  report(
    `${print(reads)} reads during ${print(await updates)} updates, a standby paused ${await pauses} times, SEED=${seed}`,
  )
})
