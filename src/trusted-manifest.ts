import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isJsonObject } from './json-object.ts'

/** Documents by their ids: `sha256:` and the digest of the text in hexadecimal (GraphQL over HTTP, appendix "Persisted documents"). */
export type TrustedDocuments = ReadonlyMap<string, string>

/** The manifest that TRUSTED_DOCUMENTS names is not one. */
export class ManifestError extends Error {}

/** The id of a document. */
export function identifyDocument(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/**
 * Reads a manifest: a JSON object of documents by id, as `npm run codegen -- --trust` and graphql-codegen's client preset write
 * them, the latter without the prefix.
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
