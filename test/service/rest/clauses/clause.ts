import type { TestRequest } from '../../../support/client.ts'

/** One rule from the contract or schema/README.md, and the request that tests it. */
export interface Clause {
  /** Never changes. */
  id: string
  says: string
  path: string | ((pets: Pet[]) => string)
  request?: TestRequest
  status: number
  /** The error code. */
  code?: string
  /** Texts that the error message must contain. */
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
