import { isListUpTo, isPet } from './clauses/checks.ts'
import { type Clause, type Inventory, type Keys, MAX_LIMIT, type Pet } from './clauses/clause.ts'
import { type Answer, judge, parseJson, type Verdict } from './judge.ts'
import { type PlainRequest, Skip, toRequest } from './request.ts'
import { NoAnswerError } from './verify-error.ts'
import { OperatorError } from '../base/errors.ts'

export interface CheckerOptions {
  send: (request: PlainRequest) => Promise<Answer>
  key: string
  /** Whether pets may be created. */
  writes: boolean
  /** Called at once with each created pet; null if the answer does not say which. */
  onCreated: (pet: Pet | null) => void
}

/** An answer compared with a clause. */
export type Judgement = Verdict & { request: PlainRequest }

/** How many requests in a row may go unanswered before the server is given up. */
const MAX_UNANSWERED = 3
const LIST = { method: 'GET', path: `/v1/pets?limit=${MAX_LIMIT}` }

/** Sends the requests of clauses to one server, and keeps what is known of its pets. */
export class Checker {
  readonly #options: CheckerOptions
  readonly #keys: Keys
  readonly #created: Pet[] = []
  /** Null: they have to be read again. */
  #pets: Inventory['pets'] | null = null
  #unanswered = 0

  constructor(options: CheckerOptions) {
    this.#options = options
    this.#keys = { key: options.key, readKey: null, keyName: null }
  }

  /** @throws OperatorError if pets cannot be listed for a reason that would also affect all other clauses */
  async start(): Promise<void> {
    const answer = await this.#readPets()
    const { status, headers } = answer
    if (status === 401 || status === 403)
      throw new OperatorError(
        `The server answers ${status} to the key in PETSTORE_API_KEY. Is it a key of this server, and still valid?`,
      )
    if (status === 404)
      throw new OperatorError(
        'There is no /pets (404). Is BASE_URL the address of the REST API, ending in /v1?',
      )
    if (status >= 300 && status < 400)
      throw new OperatorError(
        `The server redirects to ${String(headers.location)}. Use that address as BASE_URL.`,
      )
    if (status === 503) throw new OperatorError(`The server is not ready (503): ${answer.text.slice(0, 200)}`)
  }

  async check(clause: Clause): Promise<Judgement | Skip> {
    const skip = this.#findSkip(clause)
    if (skip) return skip
    const usesPets = typeof clause.path === 'function' || clause.bodyOf !== undefined
    if (usesPets && this.#pets === null) await this.#readPets()
    const judgement = await this.#checkOnce(clause)
    // A request without an answer is not repeated: it would count twice.
    const isAnswered = this.#unanswered === 0
    if (!usesPets || judgement instanceof Skip || judgement.clause === null || !isAnswered) return judgement
    // Other clients may have changed the pets since they were read.
    await this.#readPets()
    return this.#checkOnce(clause)
  }

  #findSkip({ isForTests, request: { method = 'GET' } = {} }: Clause): Skip | null {
    if (isForTests || !['GET', 'HEAD', 'POST'].includes(method)) return new Skip('might do harm elsewhere')
    return method === 'POST' && !this.#options.writes ? new Skip('may create pets (add --write)') : null
  }

  async #checkOnce(clause: Clause): Promise<Judgement | Skip> {
    const inventory = { pets: this.#pets ?? 'unknown', created: this.#created }
    const request = toRequest(clause, this.#keys, inventory)
    if (request instanceof Skip) return request
    const answer = await this.#send(request)
    if (answer instanceof NoAnswerError) return { request, clause: answer.message, added: answer.message }
    if (request.method === 'POST' && answer.status < 300) this.#noteCreated(answer)
    if (clause.status === 201 && answer.status === 403)
      throw new OperatorError(
        'The key in PETSTORE_API_KEY may not create pets (403). Use another one, or leave out --write.',
      )
    return { request, ...judge(clause, answer, inventory) }
  }

  /** @returns an error if a single request is not answered; throws it if several are not */
  async #send(request: PlainRequest): Promise<Answer | NoAnswerError> {
    try {
      const answer = await this.#options.send(request)
      this.#unanswered = 0
      return answer
    } catch (error) {
      this.#unanswered += 1
      if (!(error instanceof NoAnswerError) || this.#unanswered === MAX_UNANSWERED) throw error
      return error
    }
  }

  #noteCreated({ text }: Answer): void {
    this.#pets = null
    const pet = parseJson(text)
    const isKnown = isPet(pet) === null
    if (isKnown) this.#created.push(pet as Pet)
    this.#options.onCreated(isKnown ? (pet as Pet) : null)
  }

  async #readPets(): Promise<Answer> {
    const authorization = `Bearer ${this.#options.key}`
    const answer = await this.#options.send({ ...LIST, headers: { authorization } })
    const list = parseJson(answer.text)
    const isList = answer.status === 200 && isListUpTo(Infinity)(list) === null
    this.#pets = isList ? (list as Pet[]) : 'unknown'
    return answer
  }
}
