/** What the tables of clauses are made of: requests, and what their answers have to be; how one is sent, and its answer judged. */
import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, parseExactJsonText } from '../../base/json.ts'

/** One rule of the contract or of docs/rest-clients.md, and the request that checks it. */
export interface Clause {
  /** Never changes. */
  id: string
  says: string
  /** Goes beyond the contract: another implementation of it may answer differently. */
  isAddition?: true
  /** Sent only by our own tests, because it could harm a server, or alarm its operators. */
  isForTests?: true
  /** What it needs besides the API key. */
  needs?: 'readKey' | 'keyName'
  /** `/v1` stands for the base address. Null: the inventory lacks what the clause is about. */
  path: string | ((inventory: Inventory) => string | null)
  request?: ClauseRequest
  /** Absent: any below 500. */
  status?: number
  /** What the body has to be, unless it is an error. */
  body?: Check
  bodyOf?: (inventory: Inventory) => Check

  // What this project adds to the answer that the contract asks for.

  code?: string
  /** Texts that the error message must contain. */
  names?: readonly string[]
  /** By lower-case name. */
  headers?: Readonly<Record<string, string | RegExp>>
  addedBody?: Check
}

/** A clause for each of several values; their ids differ in the number at the end. */
export const variants = <Value>(
  id: string,
  values: readonly Value[],
  describe: (value: Value) => Omit<Clause, 'id'>,
): Clause[] => values.map((value, index) => ({ id: `${id}.${index + 1}`, ...describe(value) }))

export interface ClauseRequest {
  /** GET if absent. */
  method?: string
  headers?: Record<string, string>
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  body?: unknown
  /** The Authorization header; null sends none. Absent: the API key as a bearer token. */
  authorization?: (keys: Keys) => string | null
}

export interface Keys {
  /** A secret that may do everything that is asked for. */
  key: string
  /** The secret of a key that may only read. */
  readKey: string | null
  keyName: string | null
}

/** What is known of the server's pets. */
export interface Inventory {
  /** Its first pets, up to 100; if there are fewer, these are all. Unknown: the server does not list them. */
  pets: readonly Pet[] | 'unknown'
  /** The pets that the clauses have created. */
  created: readonly Pet[]
}

/** The pets that clauses can be about. */
export const listKnown = ({ pets }: Inventory): readonly Pet[] => (pets === 'unknown' ? [] : pets)

/** With every digit of its integers. */
export interface Pet {
  id: bigint
  name: string
  categoryId: bigint
  status?: string
}

/** Checks a JSON value, in which each int64 is a bigint. @returns what is wrong with it; null if nothing is */
export type Check = (value: unknown) => string | null

/** The maximum number of pets that a page may have. */
export const MAX_LIMIT = 100

/** The name of the pets that the clauses create, so that they can be found. */
export const PET_NAME = 'petstore verify'

export const anyPet = { name: PET_NAME, categoryId: 1 }

export const post = (body: unknown, rest: ClauseRequest = {}): ClauseRequest => ({
  method: 'POST',
  body,
  ...rest,
})

export const STATUSES = ['available', 'pending', 'sold']
const FIELDS = ['id', 'name', 'categoryId', 'status'] as const

/** The contract's Pet. It may have more fields. */
export const isPet: Check = (value) => {
  if (!isJsonObject(value)) return `expected a pet, got ${show(value)}`
  const { id, name, categoryId, status } = value
  if (typeof id !== 'bigint') return `expected id to be an int64, got ${show(id)}`
  if (typeof name !== 'string') return `expected name to be a string, got ${show(name)}`
  if (typeof categoryId !== 'bigint') return `expected categoryId to be an int64, got ${show(categoryId)}`
  if (status !== undefined && !STATUSES.some((known) => known === status))
    return `expected status to be one of ${STATUSES.join(', ')}, or absent, got ${show(status)}`
  return null
}

/** The contract's Error, which has the status of its response. */
export const isErrorOf =
  (status: number): Check =>
  (value) => {
    if (!isJsonObject(value)) return `expected an Error body, got ${show(value)}`
    for (const field of ['code', 'message'])
      if (typeof value[field] !== 'string')
        return `expected ${field} of the Error body to be a string, got ${show(value[field])}`
    if (value.status !== BigInt(status))
      return `expected status of the Error body to be ${status}, got ${show(value.status)}`
    return null
  }

/** A pet with these fields, whatever its others. */
export const isPetWith =
  (expected: Partial<Pet>): Check =>
  (value) => {
    const problem = isPet(value)
    if (problem !== null || !isJsonObject(value)) return problem
    const field = FIELDS.find((name) => name in expected && value[name] !== expected[name])
    return field ? `expected ${field} to be ${show(expected[field])}, got ${show(value[field])}` : null
  }

/** A pet that has the same fields set and unset. */
export const isSamePet = ({ id, name, categoryId, status }: Pet): Check =>
  status === undefined
    ? both(isPetWith({ id, name, categoryId }), lacks('status'))
    : isPetWith({ id, name, categoryId, status })

export const lacks =
  (field: string): Check =>
  (value) =>
    isJsonObject(value) && field in value ? `expected no ${field}, got ${show(value[field])}` : null

/** An array of different pets. @param most how many it may have. @param check what else they have to be */
export const isListUpTo =
  (most: number, check: (pets: readonly Pet[]) => string | null = () => null): Check =>
  (value) => {
    if (!Array.isArray(value)) return `expected an array of pets, got ${show(value)}`
    if (value.length > most) return `expected ${most} pets at most, got ${value.length}`
    const problem = value.map(isPet).find((found) => found !== null)
    if (problem !== undefined) return problem
    const pets = value as Pet[]
    const ids = pets.map(({ id }) => id)
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
    return repeated === undefined ? check(pets) : `expected unique ids, got ${repeated} twice`
  }

/** As many of all pets as fit. */
export const isPageOf =
  (limit: number) =>
  ({ pets }: Inventory): Check =>
    isListUpTo(limit, ({ length }) => {
      const expected = pets === 'unknown' ? length : Math.min(limit, pets.length)
      return length === expected ? null : `expected ${expected} pets, got ${length}`
    })

/** The pets with a status, and no others, in any order. */
export const isFilteredBy =
  (status: string) =>
  ({ pets }: Inventory): Check =>
    isListUpTo(MAX_LIMIT, (found) => {
      const other = found.find((pet) => pet.status !== status)
      if (other)
        return `expected only pets that are ${status}, got pet ${other.id}, status ${show(other.status)}`
      if (pets === 'unknown') return null
      const known = pets.filter((pet) => pet.status === status)
      // If there are more than fit on a page, any of them may be on it.
      if (pets.length >= MAX_LIMIT)
        return found.length >= known.length
          ? null
          : `expected ${known.length} pets at least, got ${found.length}`
      const ids = new Set(found.map(({ id }) => id))
      const missing = known.find(({ id }) => !ids.has(id))
      if (missing) return `expected pet ${missing.id} to be listed`
      return ids.size === known.length ? null : `expected ${known.length} pets, got ${ids.size}`
    })

export const isOrderedById: Check = (value) => {
  if (!Array.isArray(value)) return null
  const ids = (value as Pet[]).map(({ id }) => id)
  const index = ids.findIndex((id, at) => at > 0 && id <= (ids[at - 1] ?? id))
  return index > 0 ? `expected ascending ids, got ${ids[index]} after ${ids[index - 1]}` : null
}

export const both =
  (first: Check, second: Check): Check =>
  (value) =>
    first(value) ?? second(value)

/** A value for a message: JSON, shortened. */
function show(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  const text =
    value === undefined
      ? 'nothing'
      : JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

/** A request as it is sent. */
export interface PlainRequest {
  method: string
  /** `/v1` stands for the base address. */
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Why a clause cannot be checked. */
export interface Skip {
  skipped: string
}

/** Makes the request of a clause. */
export function toRequest(clause: Clause, keys: Keys, inventory: Inventory): PlainRequest | Skip {
  const { request = {}, needs } = clause
  if (needs !== undefined && keys[needs] === null) return { skipped: 'need a second key' }
  const path = typeof clause.path === 'function' ? clause.path(inventory) : clause.path
  if (path === null) return { skipped: 'need pets that are not there' }
  const { method = 'GET', body, authorization = ({ key }) => `Bearer ${key}` } = request
  const credentials = authorization(keys)
  return {
    method,
    path,
    headers: {
      ...(credentials !== null && { authorization: credentials }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }),
  }
}

/** What is wrong with an answer; null: nothing. */
export interface Verdict {
  /** With the clause itself. */
  clause: string | null
  /** With what this project adds to it. */
  added: string | null
}

/** Compares an answer with a clause. */
export function judge(clause: Clause, answer: Answer, inventory: Inventory): Verdict {
  const json = parseJson(answer.text)
  const main = judgeContract(clause, answer, json, inventory)
  const added = judgeAdditions(clause, answer, json)
  return clause.isAddition ? { clause: main ?? added, added: null } : { clause: main, added }
}

/** @param json undefined: the answer is not JSON */
function judgeContract(clause: Clause, answer: Answer, json: unknown, inventory: Inventory): string | null {
  const { status, text } = answer
  const isExpected = clause.status === undefined ? status < 500 : status === clause.status
  if (!isExpected) return `expected ${clause.status ?? 'an answer'}, got ${status}: ${shorten(text)}`
  if (clause.request?.method === 'HEAD') return text === '' ? null : 'expected no body'
  const check = status >= 400 ? isErrorOf(status) : (clause.body ?? clause.bodyOf?.(inventory))
  if (!check) return null
  return json === undefined ? `expected JSON, got ${shorten(text)}` : check(json)
}

function judgeAdditions(clause: Clause, { headers }: Answer, json: unknown): string | null {
  const { code, names = [], headers: expected = {}, addedBody } = clause
  const error = isJsonObject(json) ? json : {}
  if (code !== undefined && error.code !== code) return `expected code to be ${code}, got ${show(error.code)}`
  const missing = names.find((name) => !String(error.message).includes(name))
  if (missing !== undefined) return `expected message to name ${missing}, got ${show(error.message)}`
  for (const [name, value] of Object.entries(expected)) {
    const got = headers[name]
    const isSame = typeof value === 'string' ? got === value : typeof got === 'string' && value.test(got)
    if (!isSame) return `expected the header ${name} to be ${String(value)}, got ${show(got)}`
  }
  return addedBody?.(json) ?? null
}

/** Says what this project adds to a clause of the contract; null: nothing. */
export function describeAdditions({
  isAddition,
  says,
  code,
  headers = {},
  addedBody,
}: Clause): string | null {
  const added = [
    ...(code === undefined ? [] : [code]),
    ...Object.keys(headers),
    ...(addedBody ? ['body'] : []),
  ]
  return isAddition || added.length === 0 ? null : `${says} (${added.join(', ')})`
}

/** @returns JSON with an exact bigint for each int64; undefined if the text is no JSON */
export function parseJson(text: string): unknown {
  try {
    return parseExactJsonText(text)
  } catch {
    return undefined
  }
}

function shorten(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  if (line === '') return 'no body'
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
