/**
 * Random writes and reads by several keys on two servers with two standbys, one of which sometimes replays nothing, while the other is
 * always behind: no key misses its own write, or sees an older state than before. The second server writes through PgBouncer, if there
 * is one.
 */
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import createSql from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idOf, type TestResponse } from '../support/client.ts'
import { hasPgbouncer, startPgbouncer, type TestPooler } from '../support/pgbouncer.ts'
import { runOn, startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'
import { clientOf, startReadingServer, untilAllUsed } from './standbys.ts'
import { endServersAfter, print, report, type Server } from './server.ts'
import { seed } from '../support/seed.ts'

const KEYS = 8

interface Named {
  name: string
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
    ...(['create', 'update', 'delete', 'at once'] as const),
    ...(['own', 'own', 'list', 'list', 'register', 'register'] as const),
  ),
  api: fc.constantFrom('rest', 'graphql'),
  server: fc.constantFrom(0 as const, 1 as const),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** A client with its own key: what it has written last, the latest state that it has seen, and the token of its last answer. */
class Client {
  /** Without a name, it has been deleted. */
  #own: { id: string; name: string | null } | null = null
  /** The number of the latest update that it has seen. */
  #seen = REGISTERS - 1
  #token = firstToken
  #lastServer: number | null = null
  /** The token of the last answer, if that came from the other server. */
  #headers: Record<string, string> = {}
  #writes = 0
  readonly #key: number
  reads = 0

  constructor(key: number) {
    this.#key = key
  }

  async take(step: Step): Promise<void> {
    const { kind, server } = step
    // There is nothing to read, and no answer whose token the next request could lack.
    if (kind === 'own' && !this.#own) return
    this.#headers = server === this.#lastServer ? {} : { 'consistency-token': this.#token }
    this.#lastServer = server
    if (kind === 'create' || kind === 'update' || kind === 'delete') return this.#write(step)
    if (kind === 'own' && this.#own) expect(await this.#readName(step, this.#own.id)).toBe(this.#own.name)
    if (kind === 'list') await this.#list(step)
    if (kind === 'register') await this.#readRegister(step)
    if (kind === 'at once') {
      await Promise.all([1, 2, 3].map(() => this.#readRegister(step)))
      // Answers may arrive in another order; the token of one that was asked for afterwards stands for all.
      this.#headers = {}
      await this.#list(step)
    }
  }

  async #write({ kind, api, server }: Step): Promise<void> {
    const client = clientOf(servers[server], this.#key)
    this.#writes += 1
    const name = `${this.#key} ${this.#writes}`
    const own = this.#own?.name ? this.#own : null
    if (api === 'rest' && (kind === 'create' || !own)) {
      const response = await client.createPet({ name, categoryId: 1 })
      this.#own = { id: idOf(response), name }
      this.#token = tokenOf(response)
      return
    }
    const isDeleted = own !== null && kind === 'delete'
    const input = `input: {name: "${name}"`
    const mutation =
      kind === 'create' || !own
        ? `createPet(${input}, categoryId: 1})`
        : isDeleted
          ? `deletePet(id: "${own.id}")`
          : `updatePet(id: "${own.id}", ${input}})`
    const response = await client.post('/graphql', { query: `mutation { pet: ${mutation} { id } }` })
    const { data } = response.json as { data: { pet: { id: string } } }
    this.#own = { id: data.pet.id, name: isDeleted ? null : name }
    this.#token = tokenOf(response)
  }

  async #read({ api, server }: Step, path: string, query: string): Promise<TestResponse> {
    const client = clientOf(servers[server], this.#key)
    const headers = this.#headers
    this.reads += 1
    const response = await (api === 'rest'
      ? client.send(path, { headers })
      : client.post('/graphql', { query }, { headers }))
    this.#token = tokenOf(response)
    return response
  }

  async #readName(step: Step, id: string): Promise<string | null> {
    const { status, json } = await this.#read(step, `/v1/pets/${id}`, `{ pet(id: "${id}") { name } }`)
    if (status === 404) return null
    expect(status).toBe(200)
    const pet = step.api === 'rest' ? (json as Named) : (json as { data: { pet: Named | null } }).data.pet
    return pet?.name ?? null
  }

  async #readRegister(step: Step): Promise<void> {
    const index = this.reads % REGISTERS
    const expected = valueAt(this.#seen, index)
    const value = Number(await this.#readName(step, registers[index] ?? ''))
    expect(value, `register ${index}, after the state ${this.#seen} was seen`).toBeGreaterThanOrEqual(
      expected,
    )
    this.#seen = Math.max(this.#seen, value)
  }

  async #list(step: Step): Promise<void> {
    const seen = this.#seen
    const { json } = await this.#read(step, '/v1/pets?limit=100', '{ pets(first: 100) { nodes { name } } }')
    const pets =
      step.api === 'rest'
        ? (json as Named[])
        : (json as { data: { pets: { nodes: Named[] } } }).data.pets.nodes
    const values = pets.slice(0, REGISTERS).map(({ name }) => Number(name))
    const state = Math.max(...values)
    expect(values).toEqual(registers.map((_, index) => valueAt(state, index)))
    expect(state, 'the state that a list shows').toBeGreaterThanOrEqual(seen)
    this.#seen = Math.max(this.#seen, state)
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
