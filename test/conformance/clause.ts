/** The parts of the tables of clauses: requests, and checks of their answers. */
import { isJsonObject } from '../../src/base/json.ts'

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

/** A clause for each of several values. @param values by the ids of the clauses, which never change */
export const variants = <Value>(
  values: Readonly<Record<string, Value>>,
  describe: (value: Value) => Omit<Clause, 'id'>,
): Clause[] => Object.entries(values).map(([id, value]) => ({ id, ...describe(value) }))

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
  /** The secret of the API key that the requests are sent with. */
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

export const post = (body: unknown, options: ClauseRequest = {}): ClauseRequest => ({
  method: 'POST',
  body,
  ...options,
})

const STATUSES = ['available', 'pending', 'sold']
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

/** The same pet: the same fields are set, to the same values. */
export const isSamePet = ({ id, name, categoryId, status }: Pet): Check =>
  status === undefined
    ? both(isPetWith({ id, name, categoryId }), lacks('status'))
    : isPetWith({ id, name, categoryId, status })

export const lacks =
  (field: string): Check =>
  (value) =>
    isJsonObject(value) && field in value ? `expected no ${field}, got ${show(value[field])}` : null

/** An array of different pets. @param maximum how many it may have. @param check finds other problems */
export const isListUpTo =
  (maximum: number, check: (pets: readonly Pet[]) => string | null = () => null): Check =>
  (value) => {
    if (!Array.isArray(value)) return `expected an array of pets, got ${show(value)}`
    if (value.length > maximum) return `expected ${maximum} pets at most, got ${value.length}`
    const problem = value.map(isPet).find((found) => found !== null)
    if (problem !== undefined) return problem
    const pets = value as Pet[]
    const ids = pets.map(({ id }) => id)
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
    return repeated === undefined ? check(pets) : `expected unique ids, got ${repeated} twice`
  }

/** A page of all pets: as many as the limit allows. */
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
export function show(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  const text =
    value === undefined
      ? 'nothing'
      : JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
