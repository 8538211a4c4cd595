/** Checks a running server against every clause. */
import { OperatorError } from '../../src/base/operator-error.ts'
import { isJsonObject } from '../../src/base/json.ts'
import { type Clause, type Inventory, isListUpTo, isPet, MAX_LIMIT, type Pet } from './clause.ts'
import {
  authenticationClauses,
  pathClauses,
  precedenceClauses,
  publicClauses,
  scopeClauses,
} from './path-clauses.ts'
import { createPetClauses, getPetClauses, listPetsClauses } from './pet-clauses.ts'
import {
  type Answer,
  describeAdditions,
  judge,
  parseJson,
  type PlainRequest,
  type Skip,
  toRequest,
  type Verdict,
} from './exchange.ts'
import { NoAnswerError } from './http-client.ts'

/** Every clause, shared by `npm run verify` and the service tests. Creations come first, so that the others find pets. */
export const groups: readonly { subject: string; clauses: readonly Clause[] }[] = [
  { subject: 'createPet', clauses: createPetClauses },
  { subject: 'listPets', clauses: listPetsClauses },
  { subject: 'getPet', clauses: getPetClauses },
  { subject: 'authentication', clauses: authenticationClauses },
  { subject: 'scopes', clauses: scopeClauses },
  { subject: 'the precedence of errors', clauses: precedenceClauses },
  { subject: 'paths and methods', clauses: pathClauses },
  { subject: 'without a key', clauses: publicClauses },
]

interface CheckOptions {
  send: (request: PlainRequest) => Promise<Answer>
  key: string
  /** Whether pets may be created. */
  writes: boolean
  /** Called at once with each created pet; null if the answer does not say which. */
  onCreated: (pet: Pet | null) => void
}

export interface ClauseResult {
  /** The id of the clause; an addition of this project to a clause of the contract has a plus sign after that. */
  id: string
  origin: 'contract' | 'addition'
  says: string
  /** `removed`: about an operation that this server no longer serves (410 OPERATION_REMOVED). */
  outcome: 'holds' | 'fails' | 'skipped' | 'removed'
  /** Why it fails, was skipped or is removed. */
  reason?: string
  /** What was sent, if it fails. */
  request?: string
}

/**
 * Checks every clause: first those of the contract, then the additions.
 * @throws OperatorError if the server cannot be checked at all
 */
export async function* checkServer(options: CheckOptions): AsyncGenerator<ClauseResult> {
  const checker = new Checker(options)
  await checker.start()
  const clauses = groups.flatMap((group) => group.clauses)
  const additions: ClauseResult[] = []
  for (const clause of clauses.filter(({ isAddition }) => !isAddition)) {
    const judgement = await checker.check(clause)
    const { id, says } = clause
    yield toResult({ id, says, origin: 'contract' }, judgement, 'clause')
    const added = describeAdditions(clause)
    if (added !== null)
      additions.push(toResult({ id: `${id}+`, says: added, origin: 'addition' }, judgement, 'added'))
  }
  yield* additions
  for (const clause of clauses.filter(({ isAddition }) => isAddition)) {
    const { id, says } = clause
    yield toResult({ id, says, origin: 'addition' }, await checker.check(clause), 'clause')
  }
}

/** An answer compared with a clause. */
type Judgement = Verdict & { request: PlainRequest; isRemoved?: boolean }

function toResult(
  head: Pick<ClauseResult, 'id' | 'says' | 'origin'>,
  judgement: Judgement | Skip,
  part: keyof Verdict,
): ClauseResult {
  if ('skipped' in judgement) return { ...head, outcome: 'skipped', reason: judgement.skipped }
  const { request, isRemoved, [part]: reason } = judgement
  if (isRemoved) return { ...head, outcome: 'removed', reason: 'the operation has been removed (410)' }
  if (reason === null) return { ...head, outcome: 'holds' }
  return { ...head, outcome: 'fails', reason, request: `${request.method} ${request.path.slice(0, 120)}` }
}

/** Whether a deprecated operation is no longer served. */
function isRemoval({ status, headers, text }: Answer): boolean {
  const body = parseJson(text)
  // A HEAD has no body.
  const isNamed = !isJsonObject(body) || body.code === 'OPERATION_REMOVED'
  return status === 410 && headers.sunset !== undefined && isNamed
}

/** How many requests in a row may go unanswered before the check gives up. */
const MAX_UNANSWERED = 3

/** Sends the requests of clauses to one server, and keeps what is known of its pets. */
class Checker {
  readonly #options: CheckOptions
  readonly #created: Pet[] = []
  /** Null: they have to be read again. */
  #pets: Inventory['pets'] | null = null
  #unanswered = 0

  constructor(options: CheckOptions) {
    this.#options = options
  }

  /** @throws OperatorError if pets cannot be listed for a reason that would also affect all other clauses */
  async start(): Promise<void> {
    const { status, headers, text } = await this.#readPets()
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
    if (status === 503) throw new OperatorError(`The server is not ready (503): ${text.slice(0, 200)}`)
  }

  async check(clause: Clause): Promise<Judgement | Skip> {
    const skip = this.#findSkip(clause)
    if (skip) return skip
    const usesPets = typeof clause.path === 'function' || clause.bodyOf !== undefined
    if (usesPets && this.#pets === null) await this.#readPets()
    const judgement = await this.#checkOnce(clause)
    // A request without an answer is not repeated: it would count twice.
    const isAnswered = this.#unanswered === 0
    if (!usesPets || 'skipped' in judgement || judgement.clause === null || !isAnswered) return judgement
    // Other clients may have changed the pets since they were read.
    await this.#readPets()
    return this.#checkOnce(clause)
  }

  #findSkip({ isForTests, request: { method = 'GET' } = {} }: Clause): Skip | null {
    if (isForTests || !['GET', 'HEAD', 'POST'].includes(method)) return { skipped: 'might do harm elsewhere' }
    return method === 'POST' && !this.#options.writes ? { skipped: 'may create pets (add --write)' } : null
  }

  async #checkOnce(clause: Clause): Promise<Judgement | Skip> {
    const inventory = { pets: this.#pets ?? 'unknown', created: this.#created }
    const keys = { key: this.#options.key, readKey: null, keyName: null }
    const request = toRequest(clause, keys, inventory)
    if ('skipped' in request) return request
    const answer = await this.#send(request)
    if (answer instanceof NoAnswerError) return { request, clause: answer.message, added: answer.message }
    if (request.method === 'POST' && answer.status < 300) this.#recordCreated(answer)
    if (clause.status === 201 && answer.status === 403)
      throw new OperatorError(
        'The key in PETSTORE_API_KEY may not create pets (403). Use another one, or leave out --write.',
      )
    return { request, ...judge(clause, answer, inventory), isRemoved: isRemoval(answer) }
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

  #recordCreated({ text }: Answer): void {
    this.#pets = null
    const value = parseJson(text)
    const pet = isPet(value) === null ? (value as Pet) : null
    if (pet) this.#created.push(pet)
    this.#options.onCreated(pet)
  }

  async #readPets(): Promise<Answer> {
    const answer = await this.#options.send({
      method: 'GET',
      path: `/v1/pets?limit=${MAX_LIMIT}`,
      headers: { authorization: `Bearer ${this.#options.key}` },
    })
    const list = parseJson(answer.text)
    const isList = answer.status === 200 && isListUpTo(Infinity)(list) === null
    this.#pets = isList ? (list as Pet[]) : 'unknown'
    return answer
  }
}
