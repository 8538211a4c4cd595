import { randomBytes, randomInt } from 'node:crypto'
import type { Request } from './operations.ts'

/** The API key of this run. */
export const API_KEY = randomBytes(32).toString('base64url')

/** Stands for an Idempotency-Key in what wrk sends; it puts a new number of as many digits there each time. */
export const KEY_DIGITS = 20
export const KEY_PLACEHOLDER = `KEY${'0'.repeat(KEY_DIGITS)}`

/** The headers of every request. */
export function headersOf(
  { body, isOnce }: Request,
  key = `${Date.now()}-${randomInt(2 ** 47)}`,
): Record<string, string> {
  return {
    authorization: `Bearer ${API_KEY}`,
    ...(isOnce && { 'idempotency-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
}

/** Sends one request. @returns the text of the response @throws Error for a non-2xx status */
export async function send(url: string, request: Request): Promise<string> {
  const { method, path, body } = request
  const response = await fetch(url + path, { method, headers: headersOf(request), body: body ?? null })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`)
  return text
}
