import type { Clause, Inventory, Keys } from './clauses/clause.ts'

/** A request as it is sent. */
export interface PlainRequest {
  method: string
  /** `/v1` stands for the base address. */
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

/** A reason why a clause cannot be checked. */
export class Skip {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** Makes the request of a clause. */
export function toRequest(clause: Clause, keys: Keys, inventory: Inventory): PlainRequest | Skip {
  const { request = {}, needs } = clause
  if (needs !== undefined && keys[needs] === null) return new Skip('need a second key')
  const path = typeof clause.path === 'function' ? clause.path(inventory) : clause.path
  if (path === null) return new Skip('need pets that are not there')
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
    ...(body !== undefined && { body: toBytes(body) }),
  }
}

function toBytes(body: unknown): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
}
