import type { GraphQLParams, Plugin } from 'graphql-yoga'
import type { TrustedDocuments } from '../trusted-manifest.ts'
import type { Context } from './builder.ts'
import { refuseRequest } from './engine.ts'

export interface TrustedDocumentsOptions {
  documents: TrustedDocuments
  /** Whether a request may bring a document of its own. */
  mayBringDocument: (context: Context) => boolean
}

/**
 * Takes the id of a trusted document instead of its text: as `documentId`, and as Apollo Client's link sends it, in
 * `extensions.persistedQuery`. Nothing is ever added to the documents: whoever asks for another one that way is told that
 * automatic persisted queries are not supported, upon which that link sends the text.
 */
export function serveTrustedDocuments({
  documents,
  mayBringDocument,
}: TrustedDocumentsOptions): Plugin<object, Context> {
  return {
    onParams: ({ request, params, setParams, context }) => {
      const { documentId, persistedQueryId } = readIds(request.url, params)
      if (params.query) {
        if (documentId !== null) throw refuseRequest('INVALID_REQUEST', 'Send documentId or query, not both.')
        if (!mayBringDocument(context)) throw refuseRequest('DOCUMENT_NOT_TRUSTED')
        return
      }
      const id = documentId ?? persistedQueryId
      if (id === null) return
      const query = documents.get(id)
      if (query === undefined) {
        throw refuseRequest(documentId === null ? 'PERSISTED_QUERY_NOT_SUPPORTED' : 'DOCUMENT_NOT_FOUND')
      }
      setParams({ ...params, query })
    },
  }
}

/** Of a GET, Yoga reads the parameters that it knows. */
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
