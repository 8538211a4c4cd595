import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { messageOf, OperatorError } from '../base/errors.ts'
import { isJsonObject } from '../base/json.ts'
import { createRequestError } from './errors.ts'
import type { Context } from './schema/context.ts'

/** Documents by id: `sha256:` and the digest of the text in hexadecimal (GraphQL over HTTP, appendix "Persisted documents"). */
export type TrustedDocuments = ReadonlyMap<string, string>

export function identifyDocument(text: string): string {
  return `sha256:${hash('sha256', text)}`
}

function manifestError(reason: string): OperatorError {
  return new OperatorError(`TRUSTED_DOCUMENTS cannot be used: ${reason}`)
}

/**
 * Reads a manifest: a JSON object of documents by id, as written by `npm run codegen -- --trust` and, without the prefix, by
 * graphql-codegen's client preset.
 * @throws OperatorError if it is not valid
 */
export function readTrustedDocuments(path: string): TrustedDocuments {
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw manifestError(`${path} cannot be read: ${messageOf(error)}`)
  }
  if (!isJsonObject(manifest)) throw manifestError(`${path} must be a JSON object of documents by id.`)
  return new Map(
    Object.entries(manifest).map(([key, text]: [string, unknown]) => {
      const id = key.startsWith('sha256:') ? key : `sha256:${key}`
      if (typeof text !== 'string') throw manifestError(`${path}: ${key} must be the text of a document.`)
      if (identifyDocument(text) !== id)
        throw manifestError(`${path}: ${key} is not the SHA-256 of its document.`)
      return [id, text]
    }),
  )
}

export interface TrustedDocumentsOptions {
  documents: TrustedDocuments
  /** Whether a request may send a document that is not trusted. */
  allowsOthers: (context: Context) => boolean
  /** Whether to omit "Did you mean" from messages, which reveals names in the schema. */
  hidesSuggestions: boolean
}

/**
 * Accepts the id of a trusted document instead of its text, as `documentId` or, from Apollo Client's link, in
 * `extensions.persistedQuery`. No document is ever added: if a hash is unknown, the link is told so, and sends the text.
 */
export function useTrustedDocuments(trusted: TrustedDocumentsOptions): Plugin<object, Context> {
  return {
    onParams: ({ request, params, setParams, context }) => {
      const { documentId, persistedQueryId } = readIds(request.url, params)
      if (params.query) {
        if (documentId !== null)
          throw createRequestError('INVALID_REQUEST', 'Send documentId or query, not both.')
        if (!trusted.allowsOthers(context)) throw createRequestError('DOCUMENT_NOT_TRUSTED')
        return
      }
      const id = documentId ?? persistedQueryId
      if (id === null) return
      const query = trusted.documents.get(id)
      if (query === undefined) {
        throw createRequestError(documentId === null ? 'PERSISTED_QUERY_NOT_SUPPORTED' : 'DOCUMENT_NOT_FOUND')
      }
      setParams({ ...params, query })
    },
  }
}

/** For a GET, Yoga reads only the parameters that it knows. */
function readIds(url: string, params: GraphQLParams & { documentId?: unknown }) {
  const { documentId = new URL(url).searchParams.get('documentId'), extensions } = params
  const persisted: unknown = extensions?.persistedQuery
  const hash = isJsonObject(persisted) ? persisted.sha256Hash : null
  return {
    documentId: documentId == null ? null : typeof documentId === 'string' ? documentId : '',
    persistedQueryId: typeof hash === 'string' ? `sha256:${hash}` : null,
  }
}
