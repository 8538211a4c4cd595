import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../errors.ts'
import { isJsonObject } from '../json-object.ts'
import type { Context } from './builder.ts'
import { originOf } from './engine.ts'
import type { HotDocument, HotDocuments } from './hot-documents.ts'
import type { TrustedDocumentsOptions } from './trusted-documents.ts'
import { findRoundedNumber } from './yoga-plugins.ts'

/** Accept headers that are remembered, and how long one may be. */
const MAX_ACCEPTS = 100
const MAX_ACCEPT_LENGTH = 200

/** What a request asks for that may take the straight lane. */
export interface StraightRequest {
  document: HotDocument
  variables: Record<string, unknown>
}

/** The answer to send; or the context that Yoga is to answer with instead. */
type Outcome = { type: string; body: string } | { context: Context }

/**
 * The way of a plain POST of a query that is already compiled, past Yoga, whose pipeline takes several times as long as the query.
 * It answers nothing but success: what is unusual in any way, or fails, is handed over to Yoga, so that there is one place that
 * says what is wrong with a request.
 */
export class StraightLane {
  readonly #documents: HotDocuments
  readonly #trusted: TrustedDocumentsOptions
  /** The media type that Yoga chose for each Accept header. */
  readonly #types = new LRUCache<string, string>({ max: MAX_ACCEPTS })

  constructor(documents: HotDocuments, trusted: TrustedDocumentsOptions) {
    this.#documents = documents
    this.#trusted = trusted
  }

  /** @returns null for what is Yoga's */
  read({ method, url, headers, body }: FastifyRequest, context: Context): StraightRequest | null {
    const isPlain = method === 'POST' && !url.includes('?') && typeof body === 'string'
    if (!isPlain || !/^application\/json(; ?charset=utf-8)?$/i.test(headers['content-type'] ?? ''))
      return null
    const params = readParams(body)
    if (!params) return null
    const text = this.#findText(params, context)
    const document = text === null ? null : this.#documents.find(text)
    const { variables, operationName } = params
    if (!document || (operationName != null && operationName !== document.operationName)) return null
    return findRoundedNumber(variables) === null ? { document, variables: variables ?? {} } : null
  }

  /** Runs it. What the database has failed to do once it is not asked to do again: only to say so is left to Yoga. */
  async answer(
    { document, variables }: StraightRequest,
    accept: string | undefined,
    context: Context,
  ): Promise<Outcome> {
    const type = this.#types.get(accept ?? '')
    const result = type === undefined ? null : await document.run(variables, context)
    if (type === undefined || !result) return { context }
    if (!result.errors) return { type, body: JSON.stringify(result) }
    const failure = result.errors.map(originOf).find(isOurs)
    if (failure === undefined) return { context }
    return {
      context: { ...context, database: { ...context.database, run: () => Promise.reject(toError(failure)) } },
    }
  }

  /** Takes note of how Yoga has answered a request that the straight lane was for. */
  learn(accept: string | undefined, response: Response): void {
    const type = response.headers.get('content-type')
    const isJson = type !== null && /^application\/(graphql-response\+)?json\b/.test(type)
    if (isJson && response.status === 200 && (accept ?? '').length <= MAX_ACCEPT_LENGTH) {
      this.#types.set(accept ?? '', type)
    }
  }

  #findText({ query, documentId }: Params, context: Context): string | null {
    if (documentId == null) {
      return typeof query === 'string' && this.#trusted.mayBringDocument(context) ? query : null
    }
    if (query != null || typeof documentId !== 'string') return null
    return this.#trusted.documents.get(documentId) ?? null
  }
}

interface Params {
  query?: unknown
  documentId?: unknown
  operationName?: unknown
  variables?: Record<string, unknown> | null
}

/** The parameters of a body that holds nothing unusual. */
function readParams(body: string): Params | null {
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
  return { query, documentId, operationName, variables: variables ?? null }
}

function toError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure))
}

/** Whether it is the database or the program that has failed, rather than the request. */
function isOurs(origin: unknown): boolean {
  return origin instanceof ServiceError
    ? origin.status >= 500
    : !(origin instanceof Error && origin.name === 'GraphQLError')
}
