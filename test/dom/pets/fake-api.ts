/** The GraphQL API as the scripts of the list see it, with pets in memory. */
import type { NewPet, PetChanges, PetEventKind, PetsQuery } from '../../../src/generated/page-operations.ts'
import { answerRequests, type SentRequest } from '../support/page.ts'

export type ListedPet = PetsQuery['pets']['nodes'][number]

/** What the scripts send: the variables of any of their operations. */
interface Variables {
  first?: number
  filter?: { status: string[] } | null
  id?: string
  input?: NewPet & PetChanges
  expected?: PetChanges
  idempotencyKey?: string
}

/** Answers a request. @param respond answers as the server does */
type Answer = (respond: () => Response) => Response | Promise<Response>

export const respondWithData = (data: object) => Response.json({ data })
export const respondWithError = (code: string, problems?: { argument: string; message: string }[]) =>
  Response.json({ errors: [{ message: `Answered with ${code}.`, extensions: { code, problems } }] })
/** @throws TypeError as `fetch`, if it cannot reach the server */
export function failToConnect(): never {
  throw new TypeError('Failed to fetch')
}

/** The keys of the server, by their secrets. */
export const KEYS = { write: 'key-that-writes', read: 'key-that-reads', other: 'another-key-that-writes' }

const { setImmediate } = globalThis
/** Of the event loop, also while timers are fake. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

export class FakeApi {
  /** The newest last. */
  pets: ListedPet[]
  /** The operations that have been sent, with their keys. */
  sent: { operation: string; key: string | null; variables: Variables }[] = []
  #answers: { operation: string; answer: Answer }[] = []
  #created = new Map<string, ListedPet>()
  #followers = new Set<ReadableStreamDefaultController<Uint8Array>>()

  constructor(pets: Partial<ListedPet>[] = []) {
    this.pets = pets.map((pet, index) => ({
      id: String(index + 1),
      name: `Pet ${index + 1}`,
      categoryId: '7',
      status: 'available',
      ...pet,
    }))
    answerRequests((request) => this.#answer(request))
  }

  /** Answers the next request of an operation in another way. */
  answerNext(operation: string, answer: Answer): void {
    this.#answers.push({ operation, answer })
  }

  /** Holds the answer to the next request of an operation back. @returns what sends it */
  holdNext(operation: string): (answer?: () => Response) => void {
    const { promise, resolve } = Promise.withResolvers<(() => Response) | undefined>()
    this.answerNext(operation, async (respond) => ((await promise) ?? respond)())
    return resolve
  }

  /** The number of requests of an operation so far. */
  count = (operation: string): number => this.sent.filter((sent) => sent.operation === operation).length

  /** How many streams of events are open. */
  get followers(): number {
    return this.#followers.size
  }

  /** Changes a pet, as another client, and sends the event. */
  change(id: string, changes: Partial<ListedPet>): void {
    this.pets = this.pets.map((pet) => (pet.id === id ? { ...pet, ...changes } : pet))
    this.#announce('updated', id)
  }

  /** Ends all streams of events. */
  endStreams(): void {
    for (const follower of this.#followers) follower.close()
    this.#followers.clear()
  }

  async #answer({ key, operation: body, signal }: SentRequest): Promise<Response> {
    // Another path: whether the server is ready.
    if (!body) return new Response()
    const { query, variables = {} } = body
    const [, operation = ''] = /^\s*\w+ (\w+)/.exec(query) ?? []
    this.sent.push({ operation, key, variables })
    const index = this.#answers.findIndex((answer) => answer.operation === operation)
    const [next] = index < 0 ? [] : this.#answers.splice(index, 1)
    const respond = () => this.#respond(operation, key, variables, signal)
    const answer = async () => {
      // As in a browser, a stream begins later than the one ends that it replaces.
      if (operation === 'PetChanged') await nextTurn()
      return next ? next.answer(respond) : respond()
    }
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')))
    })
    return Promise.race([answer(), aborted])
  }

  #respond(
    operation: string,
    key: string | null,
    variables: Variables,
    signal: AbortSignal | null,
  ): Response {
    if (key === null || !Object.values(KEYS).includes(key)) return respondWithError('UNAUTHORIZED')
    if (operation === 'PetChanged') return this.#follow(signal)
    if (operation === 'Pets') return this.#list(variables)
    if (key === KEYS.read) return respondWithError('FORBIDDEN')
    if (operation === 'CreatePet') return this.#create(variables)
    if (operation === 'UpdatePet') return this.#update(variables)
    return respondWithData({ __typename: 'Mutation' })
  }

  #list({ first = 20, filter }: Variables): Response {
    const found = this.pets
      .filter(({ status }) => !filter || filter.status.includes(status ?? ''))
      .toReversed()
    return respondWithData({
      pets: { nodes: found.slice(0, first), pageInfo: { hasNextPage: found.length > first } },
    })
  }

  #create({ input, idempotencyKey = '' }: Variables): Response {
    const { name = '', categoryId = '', status = null } = input ?? {}
    const pet = this.#created.get(idempotencyKey) ?? {
      id: String(this.pets.length + 1),
      name,
      categoryId,
      status,
    }
    if (!this.#created.has(idempotencyKey)) {
      this.#created.set(idempotencyKey, pet)
      this.pets.push(pet)
      this.#announce('created', pet.id)
    }
    return respondWithData({ createPet: pet })
  }

  #update({ id = '', input, expected }: Variables): Response {
    const pet = this.pets.find((stored) => stored.id === id)
    if (!pet) return respondWithError('PET_NOT_FOUND')
    if (pet.status !== expected?.status) return respondWithError('CONFLICT')
    this.change(id, { status: input?.status ?? null })
    return respondWithData({ updatePet: { id } })
  }

  #follow(signal: AbortSignal | null): Response {
    const stream = new ReadableStream<Uint8Array>({
      start: (follower) => {
        this.#followers.add(follower)
        signal?.addEventListener('abort', () => {
          if (this.#followers.delete(follower)) follower.error(new DOMException('Aborted', 'AbortError'))
        })
      },
    })
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }

  #announce(kind: PetEventKind, id: string): void {
    const pet = this.pets.find((stored) => stored.id === id)
    const event = `event: next\ndata: ${JSON.stringify({ data: { petChanged: { kind, pet } } })}\n\n`
    for (const follower of this.#followers) follower.enqueue(new TextEncoder().encode(event))
  }
}
