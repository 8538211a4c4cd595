import type { TestRequest } from '../../../support/client.ts'

/** One statement of the contract or of schema/README.md, and the request that shows it. */
export interface Clause {
  /** Stays with its clause for ever. */
  id: string
  says: string
  path: string | ((pets: Pet[]) => string)
  request?: TestRequest
  status: number
  /** Of an error. */
  code?: string
  /** Parts of the message of an error. */
  names?: string[]
  headers?: Record<string, unknown>
  body?: unknown
  bodyOf?: (pets: Pet[]) => unknown
}

export interface Pet {
  id: number
  name: string
  categoryId: number
  status?: string
}

export const anyPet = { name: 'Rex', categoryId: 7 }

export const post = (body: unknown, rest: TestRequest = {}): TestRequest => ({
  method: 'POST',
  body,
  ...rest,
})
