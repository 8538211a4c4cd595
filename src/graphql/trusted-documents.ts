import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { isJsonObject } from '../json.ts'
import { createRequestError } from './errors.ts'
import type { Context } from './schema/context.ts'

/** Documents by id: `sha256:` and the digest of the text in hexadecimal (GraphQL over HTTP, appendix "Persisted documents"). */
export type TrustedDocuments = ReadonlyMap<string, string>

/** The file that TRUSTED_DOCUMENTS names is not a manifest. */
export class ManifestError extends Error {}

/** The id of a document. */
export function identifyDocument(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/**
 * Reads a manifest: a JSON object of documents by id, as `npm run codegen -- --trust` and graphql-codegen's client preset write it,
 * the latter without the prefix.
 * @throws ManifestError that says what is wrong with it
 */
export function readTrustedDocuments(path: string): TrustedDocuments {
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ManifestError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  if (!isJsonObject(manifest)) {
    throw new ManifestError(`${path} must be a JSON object of documents by id.`)
  }
  return new Map(
    Object.entries(manifest).map(([key, text]: [string, unknown]) => {
      const id = key.startsWith('sha256:') ? key : `sha256:${key}`
      if (typeof text !== 'string') throw new ManifestError(`${path}: ${key} must be the text of a document.`)
      if (identifyDocument(text) !== id)
        throw new ManifestError(`${path}: ${key} is not the SHA-256 of its document.`)
      return [id, text]
    }),
  )
}

export interface TrustedDocumentsOptions {
  documents: TrustedDocuments
  /** May a request send a document of its own? */
  allowsOthers: (context: Context) => boolean
  /** Leave "Did you mean" out of messages? It reveals names of the schema. */
  hidesSuggestions: boolean
}

/**
 * Accepts the id of a trusted document instead of its text: as `documentId`, and as Apollo Client's link sends it, in
 * `extensions.persistedQuery`. No document is ever added: a request for an unknown one in Apollo's form is told that automatic
 * persisted queries are not supported, and the link then sends the text.
 */
export function useTrustedDocuments({
  documents,
  allowsOthers,
}: Omit<TrustedDocumentsOptions, 'hidesSuggestions'>): Plugin<object, Context> {
  return {
    onParams: ({ request, params, setParams, context }) => {
      const { documentId, persistedQueryId } = readIds(request.url, params)
      if (params.query) {
        if (documentId !== null)
          throw createRequestError('INVALID_REQUEST', 'Send documentId or query, not both.')
        if (!allowsOthers(context)) throw createRequestError('DOCUMENT_NOT_TRUSTED')
        return
      }
      const id = documentId ?? persistedQueryId
      if (id === null) return
      const query = documents.get(id)
      if (query === undefined) {
        throw createRequestError(documentId === null ? 'PERSISTED_QUERY_NOT_SUPPORTED' : 'DOCUMENT_NOT_FOUND')
      }
      setParams({ ...params, query })
    },
  }
}

/** In a GET, Yoga reads only the parameters that it knows. */
function readIds(url: string, params: GraphQLParams & { documentId?: unknown }) {
  const { documentId = new URL(url).searchParams.get('documentId'), extensions } = params
  const persisted: unknown = extensions?.persistedQuery
  const hash =
    typeof persisted === 'object' && persisted !== null && 'sha256Hash' in persisted
      ? persisted.sha256Hash
      : null
  return {
    documentId: documentId == null ? null : typeof documentId === 'string' ? documentId : '',
    persistedQueryId: typeof hash === 'string' ? `sha256:${hash}` : null,
  }
}
