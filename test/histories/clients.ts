/** Random clients: they send requests to both APIs of several servers, and record the answers. */
import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { sendRequest, type TestRequest, type TestResponse } from '../support/client.ts'
import {
  creationOf,
  type Exchange,
  type Filter,
  type IdentifiedPet,
  type Operation,
  type Page,
  type Pet,
  type Refusal,
} from './history.ts'

/** Milliseconds that a client waits after a request without an answer. */
const PAUSE_MS = 50
/** How often a creation with an idempotency key is sent again if no answer comes. */
const MAX_RETRIES = 5
/** Clients work on so many pets at a time, so that several work on the same one. */
const RECENT = 8
/** The codes of an error after which a write may have happened, or may happen later. */
const UNCERTAIN = ['DATABASE_UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE', 'OVERLOADED', 'SHUTTING_DOWN', 'TIMEOUT']

const STATUSES = ['available', 'pending', 'sold'] as const
const status = fc.constantFrom(...STATUSES, null)
const step = fc.record({
  kind: fc.constantFrom(
    ...(['create', 'create', 'repeat', 'read', 'read', 'read'] as const),
    ...(['update', 'update', 'update', 'swap', 'swap', 'delete', 'page', 'page', 'count'] as const),
  ),
  api: fc.constantFrom('rest' as const, 'graphql' as const),
  server: fc.nat(),
  pet: fc.nat(),
  category: fc.nat(1),
  status,
  /** Which fields an update changes beside the name. */
  changes: fc.record({ category: fc.boolean(), status: fc.boolean() }),
  /** What a conditional write expects. */
  expected: fc.record({ status }, { requiredKeys: [] }),
  isSafe: fc.boolean(),
  /** Whether a read has the key that only reads. */
  onlyReads: fc.boolean(),
  size: fc.integer({ min: 1, max: 100 }),
  filter: fc.record({ status: fc.constantFrom(...STATUSES) }, { requiredKeys: [] }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

export interface HistoryOptions {
  /** Distinguishes the pets of this history from all others in the database. */
  number: number
  seed: number
  clients: number
  operations: number
  urls: readonly string[]
  /** The API keys of each client. */
  secretOf: (client: number, onlyReads: boolean) => string
  /** How old what a read-only key sees may be, in milliseconds. */
  maxAge: number
  /** Milliseconds that a client waits after an answer; absent: none. */
  pause?: number
  /** Called after each operation. */
  onOperation: () => void
}

/** Lets clients take random steps. @returns what happened, and how to read everything at the end */
export async function record(options: HistoryOptions): Promise<Recorder> {
  const { seed, clients, operations } = options
  const recorder = new Recorder(options)
  const steps = fc.sample(step, { seed, numRuns: operations })
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const client = new Client(recorder, index)
      for (let next = index; next < steps.length; next += clients) await client.take(steps[next] as Step)
      client.close()
    }),
  )
  return recorder
}

export class Recorder {
  readonly options: HistoryOptions
  readonly history: Operation[] = []
  /** The pets that have been seen, by id, with the part of their names that stays. */
  readonly pets = new Map<string, string>()
  #names = 0

  constructor(options: HistoryOptions) {
    this.options = options
  }

  /** The ids of the pets that were seen first most recently. */
  get recent(): string[] {
    return [...this.pets.keys()].slice(-RECENT)
  }

  /** @param creation the part of the name that tells which creation made the pet; absent: it is made now */
  newName(creation?: string): string {
    this.#names += 1
    return `${creation ?? `h${this.options.number}.${this.#names}`}.${this.#names}`
  }

  /** Reads every pet, and counts them. */
  async readAll(): Promise<void> {
    const client = new Client(this, this.options.clients)
    await client.readAll()
    client.close()
  }
}

/** What came in answer to a request; null: nothing, or an error after which a write may have happened. */
type Answer = Pick<TestResponse, 'status' | 'headers' | 'json'> | null

interface GraphqlError {
  extensions: { code: string }
}
type GraphqlPet = Pick<Pet, 'name' | 'categoryId' | 'status'>

class Client {
  readonly #recorder: Recorder
  readonly #index: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #categories: readonly [string, string]
  /** The last creation, and its idempotency key. */
  #last: { pet: Pet; key: string } | null = null
  /** Where the next page begins. */
  #cursor: { id: string; text: string } | null = null

  constructor(recorder: Recorder, index: number) {
    this.#recorder = recorder
    this.#index = index
    const { number } = recorder.options
    // The demo's pets have others.
    this.#categories = [String(1_000 + 2 * number), String(1_001 + 2 * number)]
  }

  close(): void {
    this.#agent.destroy()
  }

  async take(sampled: Step): Promise<void> {
    const { recent } = this.#recorder
    const id = recent[sampled.pet % recent.length]
    const isRead = ['page', 'count'].includes(sampled.kind) || (sampled.kind === 'read' && id !== undefined)
    const step = { ...sampled, onlyReads: sampled.onlyReads && isRead }
    if (step.kind === 'page') {
      await this.#page(step)
      return
    }
    if (step.kind === 'count') return this.#count(step)
    if (step.kind === 'repeat' && this.#last) return this.#create(step, this.#last)
    if (step.kind === 'create' || step.kind === 'repeat' || id === undefined) return this.#createNew(step)
    if (step.kind === 'read') return this.#read(step, id)
    if (step.kind === 'delete') return this.#delete(step, id)
    return this.#update(step, id)
  }

  async readAll(): Promise<void> {
    const any = fc.sample(step, { seed: 1, numRuns: 1 })[0] as Step
    const complete: Step = { ...any, api: 'graphql', onlyReads: false }
    while (await this.#page({ ...complete, size: 100, filter: {} }));
    for (const filter of [{}, ...STATUSES.map((status) => ({ status }))])
      await this.#count({ ...complete, filter })
    for (const id of this.#recorder.pets.keys()) await this.#read({ ...complete, api: 'rest' }, id)
  }

  async #createNew(step: Step): Promise<void> {
    const categoryId = this.#categories[step.category] ?? ''
    const pet = { name: this.#recorder.newName(), categoryId, status: step.status }
    const key = step.isSafe ? crypto.randomUUID() : null
    this.#last = key === null ? this.#last : { pet, key }
    await this.#create(step, { pet, key })
  }

  async #create(step: Step, { pet, key }: { pet: Pet; key: string | null }): Promise<void> {
    for (let attempt = 0; attempt <= (key === null ? 0 : MAX_RETRIES); attempt += 1) {
      const isAnswered = await this.#record(step, async () => {
        const server = { ...step, server: step.server + attempt }
        const id =
          step.api === 'rest' ? await this.#post(server, pet, key) : await this.#mutateNew(server, pet, key)
        if (id !== null) this.#recorder.pets.set(id, creationOf(pet))
        return { kind: 'create', pet, answer: id === null ? null : { id } }
      })
      if (isAnswered) return
    }
  }

  async #post(step: Step, { name, categoryId, status }: Pet, key: string | null): Promise<string | null> {
    const answer = await this.#send(step, '/v1/pets', {
      method: 'POST',
      body: { name, categoryId: Number(categoryId), ...(status !== null && { status }) },
      headers: { ...(key !== null && { 'idempotency-key': key }) },
    })
    return answer && String((answer.json as { id: number }).id)
  }

  async #mutateNew(step: Step, pet: Pet, key: string | null): Promise<string | null> {
    const query =
      'mutation ($pet: NewPet!, $key: String) { pet: createPet(input: $pet, idempotencyKey: $key) { id } }'
    const data = await this.#graphql<{ pet: { id: string } }>(step, query, { pet, key })
    return data === null || typeof data === 'string' ? null : data.pet.id
  }

  async #read(step: Step, id: string): Promise<void> {
    await this.#record(step, async () => {
      if (step.api === 'graphql') {
        const query = 'query ($id: ID!) { pet(id: $id) { name categoryId status } }'
        const data = await this.#graphql<{ pet: GraphqlPet | null }>(step, query, { id })
        if (data === null || typeof data === 'string') return null
        return { kind: 'read', id, answer: data.pet ?? 'NOT_FOUND' }
      }
      const answer = await this.#send(step, `/v1/pets/${id}`)
      return (
        answer && { kind: 'read', id, answer: answer.status === 404 ? 'NOT_FOUND' : fromRest(answer.json) }
      )
    })
  }

  async #update(step: Step, id: string): Promise<void> {
    const name = this.#recorder.newName(this.#recorder.pets.get(id))
    const { changes, category, status } = step
    const patch = {
      name,
      ...(changes.category && { categoryId: this.#categories[category] ?? '' }),
      ...(changes.status && { status }),
    }
    const expected = step.kind === 'swap' ? step.expected : {}
    await this.#record(step, async () => {
      const query =
        'mutation ($id: ID!, $patch: PetChanges!, $expected: PetChanges) { ' +
        'pet: updatePet(id: $id, input: $patch, expected: $expected) { name categoryId status } }'
      const answer = await this.#mutate(step, query, { id, patch, expected })
      return { kind: 'update', id, patch, expected, answer }
    })
  }

  async #delete(step: Step, id: string): Promise<void> {
    const { expected } = step
    await this.#record(step, async () => {
      const query =
        'mutation ($id: ID!, $expected: PetChanges) { ' +
        'pet: deletePet(id: $id, expected: $expected) { name categoryId status } }'
      return { kind: 'delete', id, expected, answer: await this.#mutate(step, query, { id, expected }) }
    })
  }

  async #mutate(step: Step, query: string, variables: object): Promise<Pet | Refusal | null> {
    const data = await this.#graphql<{ pet: GraphqlPet }>(step, query, variables)
    return data === null || typeof data === 'string' ? data : data.pet
  }

  /** @returns whether there is a further page */
  async #page(step: Step): Promise<boolean> {
    const from = this.#cursor
    const after = from?.id ?? '0'
    await this.#record(step, async () => {
      const filter: Filter = step.filter
      const page = step.api === 'rest' ? await this.#getPage(step, from) : await this.#queryPage(step, from)
      if (page === null) return null
      const { pets, next } = page
      this.#cursor = next === null ? null : { id: pets.at(-1)?.id ?? after, text: next }
      const own = pets.filter(({ name }) => name.startsWith(`h${this.#recorder.options.number}.`))
      for (const pet of own) this.#recorder.pets.set(pet.id, creationOf(pet))
      const answer: Page = { pets: own, upTo: this.#cursor?.id ?? null }
      return { kind: 'page', after, filter, answer }
    })
    return this.#cursor !== null
  }

  async #getPage({ size, filter, ...step }: Step, from: { text: string } | null) {
    const query = new URLSearchParams({ limit: String(size), ...filter, ...(from && { after: from.text }) })
    const answer = await this.#send({ ...step, size, filter }, `/v1/pets?${query.toString()}`)
    if (answer === null) return null
    const next = /[?&]after=([^&>]*)[^,]*rel="next"/.exec(String(answer.headers.link))?.[1] ?? null
    const pets = (answer.json as { id: number }[]).map((pet) => ({ id: String(pet.id), ...fromRest(pet) }))
    return { pets, next }
  }

  /** Only the pets of this history. */
  async #queryPage(step: Step, from: { text: string } | null) {
    const query =
      'query ($size: Int, $after: String, $filter: PetFilter) { pets(first: $size, after: $after, filter: $filter) { ' +
      'nodes { id name categoryId status } pageInfo { hasNextPage endCursor } } }'
    const { status } = step.filter
    const filter = { categoryId: this.#categories, ...(status !== undefined && { status: [status] }) }
    const variables = { size: step.size, after: from?.text ?? null, filter }
    const data = await this.#graphql<{
      pets: { nodes: IdentifiedPet[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
    }>(step, query, variables)
    if (data === null || typeof data === 'string') return null
    const { nodes, pageInfo } = data.pets
    return { pets: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null }
  }

  async #count(step: Step): Promise<void> {
    await this.#record(step, async () => {
      const { filter } = step
      const query = 'query ($filter: PetFilter) { pets(first: 1, filter: $filter) { totalCount } }'
      const input = { categoryId: this.#categories, ...(filter.status && { status: [filter.status] }) }
      const data = await this.#graphql<{ pets: { totalCount: number } }>(step, query, { filter: input })
      if (data === null || typeof data === 'string') return null
      return { kind: 'count', filter, answer: data.pets.totalCount }
    })
  }

  /** Records a request and its answer, except a read without an answer. @returns whether an answer came */
  async #record({ onlyReads }: Step, ask: () => Promise<Exchange | null>): Promise<boolean> {
    const { history, options } = this.#recorder
    const start = performance.now() - (onlyReads ? options.maxAge : 0)
    const exchange = await ask()
    const isAnswered = exchange !== null && exchange.answer !== null
    const end = isAnswered ? performance.now() : Infinity
    if (exchange) history.push({ ...exchange, client: this.#index, start, end })
    options.onOperation()
    const pause = isAnswered ? (options.pause ?? 0) : PAUSE_MS
    if (pause > 0) await setTimeout(pause)
    return isAnswered
  }

  async #graphql<Data>(step: Step, query: string, variables: object): Promise<Data | Refusal | null> {
    const answer = await this.#send(step, '/graphql', { method: 'POST', body: { query, variables } })
    if (answer === null) return null
    const { data, errors = [] } = answer.json as { data?: Data; errors?: GraphqlError[] }
    const [error] = errors
    if (data !== undefined && !error) return data
    const code = error?.extensions.code ?? ''
    if (code === 'PET_NOT_FOUND') return 'NOT_FOUND'
    if (code === 'CONFLICT') return code
    if (UNCERTAIN.includes(code)) return null
    throw new Error(`${query} was answered with ${answer.status}: ${JSON.stringify(answer.json)}`)
  }

  /** @throws Error unless the answer is one of those that a client has to expect */
  async #send({ server, onlyReads }: Step, path: string, request: TestRequest = {}): Promise<Answer> {
    const { urls, secretOf } = this.#recorder.options
    const url = urls[server % urls.length] ?? ''
    try {
      const key = secretOf(this.#index, onlyReads)
      const answer = await sendRequest(url, path, { ...request, key }, this.#agent)
      if ([200, 201, 404].includes(answer.status) || path === '/graphql') return answer
      if (UNCERTAIN.includes((answer.json as { code: string }).code)) return null
      throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`)
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('E')) return null
      throw error
    }
  }
}

function fromRest(json: unknown): Pet {
  const { name, categoryId, status = null } = json as { name: string; categoryId: number; status?: string }
  return { name, categoryId: String(categoryId), status }
}
