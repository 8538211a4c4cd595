/** What the tables of clauses are made of. */

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

  /** The error code. */
  code?: string
  /** Texts that the error message must contain. */
  names?: readonly string[]
  /** By lower-case name. */
  headers?: Readonly<Record<string, string | RegExp>>
  addedBody?: Check
}

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
  /** The name of a key. */
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
