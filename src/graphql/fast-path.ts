import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { isJsonObject } from '../base/json.ts'
import type { Answer } from './answer-text.ts'
import type { CompiledQueries, CompiledQuery } from './compiled-queries.ts'
import { errorsToReport, toErrorAnswer } from './errors.ts'
import type { Context } from './schema/context.ts'
import type { TrustedDocumentsOptions } from './trusted-documents.ts'
import { findRoundedNumber } from './yoga.ts'

/** The maximum number of Accept headers that are remembered, and the maximum length of one. */
const MAX_ACCEPTS = 100
const MAX_ACCEPT_LENGTH = 200

export interface FastRequest {
  query: CompiledQuery
  variables: Record<string, unknown>
}

/** Answers a plain POST of a compiled query without Yoga, whose pipeline takes several times as long. All else is left to Yoga. */
export class FastPath {
  readonly #queries: CompiledQueries
  readonly #trusted: TrustedDocumentsOptions
  /** The media type that Yoga chose for each Accept header. */
  readonly #types = new LRUCache<string, string>({ max: MAX_ACCEPTS })

  constructor(queries: CompiledQueries, trusted: TrustedDocumentsOptions) {
    this.#queries = queries
    this.#trusted = trusted
  }

  /** @returns null if the request is left to Yoga */
  read({ method, url, headers, body }: FastifyRequest, context: Context): FastRequest | null {
    const isPlain = method === 'POST' && !url.includes('?') && typeof body === 'string'
    if (!isPlain || !/^application\/json(; ?charset=utf-8)?$/i.test(headers['content-type'] ?? ''))
      return null
    const params = readParams(body)
    if (!params) return null
    const { variables, operationName } = params
    const text = this.#findText(params.query, params.documentId, context)
    const query = text === null ? null : this.#queries.find(text)
    if (!query || (operationName != null && operationName !== query.operationName)) return null
    return findRoundedNumber(variables) === null ? { query, variables: variables ?? {} } : null
  }

  /** @returns null if the request is left to Yoga; nothing has been executed in that case */
  async answer(
    { query, variables }: FastRequest,
    accept: string | undefined,
    context: Context,
  ): Promise<Answer | null> {
    const type = this.#types.get(accept ?? '')
    const result = type === undefined ? null : await query.run(variables, context)
    if (type === undefined || !result) return null
    context.outcome.operation = query.operationName ?? null
    const { data } = result
    const found = errorsToReport(result)
    if (!found) return { status: 200, headers: { 'content-type': type }, result: { data } }
    const { status, headers, errors, codes } = toErrorAnswer(found, context)
    context.outcome.errorCodes = codes
    return { status, headers: { 'content-type': type, ...headers }, result: { errors, data } }
  }

  learn(accept: string | undefined, response: Response): void {
    const type = response.headers.get('content-type')
    const isJson = type !== null && /^application\/(graphql-response\+)?json\b/.test(type)
    if (isJson && response.status === 200 && (accept ?? '').length <= MAX_ACCEPT_LENGTH) {
      this.#types.set(accept ?? '', type)
    }
  }

  #findText(query: unknown, documentId: unknown, context: Context): string | null {
    if (documentId == null)
      return typeof query === 'string' && this.#trusted.allowsOthers(context) ? query : null
    if (query != null || typeof documentId !== 'string') return null
    return this.#trusted.documents.get(documentId) ?? null
  }
}

/** The parameters in a body; null if anything about it is unusual. */
function readParams(body: string) {
  let params: unknown
  try {
    params = JSON.parse(body)
  } catch {
    return null
  }
  if (!isJsonObject(params)) return null
  const { query, documentId, operationName, variables, extensions, ...others } = params
  if (Object.keys(others).length > 0 || (variables != null && !isJsonObject(variables))) return null
  if (extensions != null && (!isJsonObject(extensions) || 'persistedQuery' in extensions)) return null
  return { query, documentId, operationName, variables }
}
