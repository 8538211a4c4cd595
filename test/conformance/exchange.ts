/** What is sent for a clause, and what is wrong with the answer. */
import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, parseExactJsonText } from '../../src/base/json.ts'
import { type Clause, type Inventory, isErrorOf, type Keys, show } from './clause.ts'

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
  if (needs !== undefined && keys[needs] === null)
    return { skipped: 'need a second key, which this command does not take' }
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
export function describeAdditions(clause: Clause): string | null {
  const { code, headers = {}, addedBody } = clause
  const added = [code, ...Object.keys(headers), addedBody && 'body'].filter((part) => part !== undefined)
  return clause.isAddition || added.length === 0 ? null : `${clause.says} (${added.join(', ')})`
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
