/** A REST client to copy, without dependencies: it reads every page, retries, and keeps each digit of an int64. Needs Node 24. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface NewPet {
  name: string
  categoryId: bigint
  status?: 'available' | 'pending' | 'sold'
}
export type Pet = NewPet & { id: bigint }

interface Answer {
  response: Response
  text: string
}

export class ApiError extends Error {
  readonly status: number
  /** Of the Error body; undefined if the answer is not the server's own, but a proxy's. */
  readonly code: string | undefined

  constructor(status: number, body: string) {
    super(`${status}: ${body}`)
    this.status = status
    this.code = /"code":"(\w+)"/.exec(body)?.[1]
  }
}

const ATTEMPTS = 5
/** Milliseconds for one attempt. */
const TIMEOUT = 15_000
/** 409 says that an earlier attempt with the same idempotency key is still in flight. */
const WORTH_RETRYING = [409, 429, 503, 504]

// As a number, an integer beyond 2^53 would be rounded; the source in the text has all of its digits.
const fromJson = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? BigInt(context?.source ?? value) : value,
  )
// TypeScript does not know it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => unknown }
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? rawJSON(String(part)) : part))

/** @param baseUrl ends in `/v1` */
export function createPetClient(baseUrl: string, apiKey: string) {
  /** @throws ApiError; TypeError or a TimeoutError if the server cannot be reached */
  async function send(url: string, request: RequestInit = {}, attempt = 1): Promise<Answer> {
    const isLast = attempt === ATTEMPTS
    const exchange = fetchText(url, { ...request, signal: AbortSignal.timeout(TIMEOUT) })
    const answer = await (isLast ? exchange : exchange.catch(() => null))
    if (answer?.response.ok) return answer
    if (answer && (isLast || !WORTH_RETRYING.includes(answer.response.status)))
      throw new ApiError(answer.response.status, answer.text)
    // Twice as long each time, and random, so that clients do not all return at once.
    const backoff = 100 * 2 ** attempt * (0.5 + Math.random() / 2)
    await sleep(Math.max(backoff, 1_000 * Number(answer?.response.headers.get('retry-after') ?? 0)))
    return send(url, request, attempt + 1)
  }

  /** The whole answer, since the connection may also be lost in the middle of it. */
  async function fetchText(url: string, request: RequestInit): Promise<Answer> {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${apiKey}`)
    const response = await fetch(url, { ...request, headers })
    return { response, text: await response.text() }
  }

  return {
    /** All pets, one page at a time. */
    async *listPets(query: Record<string, string> = {}): AsyncGenerator<Pet> {
      let next: string | undefined = `${baseUrl}/pets?${new URLSearchParams(query).toString()}`
      while (next !== undefined) {
        const { response, text }: Answer = await send(next)
        yield* fromJson(text) as Pet[]
        const link = /<([^<>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
        next = link && new URL(link, response.url).href
      }
    },

    /** @param idempotencyKey makes it safe to repeat the call after an error, even from another process */
    async createPet(pet: NewPet, idempotencyKey: string = crypto.randomUUID()): Promise<Pet> {
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
      const { text } = await send(`${baseUrl}/pets`, { method: 'POST', headers, body: toJson(pet) })
      return fromJson(text) as Pet
    },
  }
}
