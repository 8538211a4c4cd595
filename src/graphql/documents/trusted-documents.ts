import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError } from '../../base/operator-error.ts'
import { messageOf } from '../../base/thrown.ts'
import type { ErrorCode } from '../../base/error-catalogue.ts'
import { ServiceError } from '../../base/service-error.ts'
import { isJsonObject } from '../../base/json.ts'
import type { Params } from '../request/params.ts'

/** Documents by id: `sha256:` and the digest of the text in hexadecimal (GraphQL over HTTP, appendix "Persisted documents"). */
export type TrustedDocuments = ReadonlyMap<string, string>

export function identifyDocument(text: string): string {
  return `sha256:${hash('sha256', text)}`
}

function manifestError(reason: string): OperatorError {
  return new OperatorError(`TRUSTED_DOCUMENTS cannot be used: ${reason}`)
}

/**
 * Reads a manifest: a JSON object of documents by id, as written by graphql-codegen's client preset (persistedDocuments), or a list of
 * operations, as written by Apollo's generate-persisted-query-manifest. The prefix `sha256:` of an id may be absent.
 * @throws OperatorError if it is not valid
 */
export function readTrustedDocuments(path: string): TrustedDocuments {
  return new Map(
    listDocuments(path, readJson(path)).map(([key, text]) => {
      const id = key.startsWith('sha256:') ? key : `sha256:${key}`
      if (typeof text !== 'string') throw manifestError(`${path}: ${key} must be the text of a document.`)
      if (identifyDocument(text) !== id)
        throw manifestError(`${path}: ${key} is not the SHA-256 of its document.`)
      return [id, text]
    }),
  )
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw manifestError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

/** The documents in a manifest of either format, which need not be valid. */
function listDocuments(path: string, manifest: unknown): [id: string, text: unknown][] {
  if (!isJsonObject(manifest)) throw manifestError(`${path} must be a JSON object of documents by id.`)
  if (manifest.format !== 'apollo-persisted-query-manifest') return Object.entries(manifest)
  // https://www.apollographql.com/docs/graphos/platform/security/persisted-queries
  const { operations } = manifest
  if (!Array.isArray(operations))
    throw manifestError(`${path}: operations must be a list, as Apollo writes it.`)
  return operations.map((operation: unknown, index) => {
    if (isJsonObject(operation) && typeof operation.id === 'string') return [operation.id, operation.body]
    throw manifestError(`${path}: operation ${index} must be an object with an id and a body.`)
  })
}

export interface TrustedDocumentsOptions {
  documents: TrustedDocuments
  /** Whether to reject all other documents. */
  only: boolean
}

/**
 * The text of the document that a request sends or names, by the id of a trusted one: as `documentId` or, from Apollo Client's link, in
 * `extensions.persistedQuery`. No document is ever added: if a hash is unknown, the link gets an error that says so, and sends the text.
 * @throws ServiceError
 */
export function findDocumentText(
  { query, documentId, extensions }: Params,
  { documents, only }: TrustedDocumentsOptions,
): string {
  if (query) {
    if (documentId != null) throw new ServiceError('INVALID_REQUEST', 'Send documentId or query, not both.')
    if (only) throw new ServiceError('DOCUMENT_NOT_TRUSTED')
    return query
  }
  if (documentId != null) return requireDocument(documents, documentId, 'DOCUMENT_NOT_FOUND')
  const persisted = extensions?.persistedQuery
  const sha256 = isJsonObject(persisted) ? persisted.sha256Hash : null
  if (typeof sha256 !== 'string') throw new ServiceError('INVALID_REQUEST', 'Send a query, or a documentId.')
  return requireDocument(documents, `sha256:${sha256}`, 'PERSISTED_QUERY_NOT_SUPPORTED')
}

function requireDocument(documents: TrustedDocuments, id: string, code: ErrorCode): string {
  const text = documents.get(id)
  if (text === undefined) throw new ServiceError(code)
  return text
}
