import { randomBytes } from 'node:crypto'
import type { Request } from './operations.ts'

/** The API key of this run. */
export const API_KEY = randomBytes(32).toString('base64url')

/** The headers of every request. */
export function headersOf({ body }: Request): Record<string, string> {
  return {
    authorization: `Bearer ${API_KEY}`,
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
