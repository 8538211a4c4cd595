import type { Turns } from '../base/turns.ts'
import type { DocumentOptions } from './documents/document-options.ts'
import type { Documents } from './documents/documents.ts'
import type { TrustedDocumentsOptions } from './documents/trusted-documents.ts'
import type { Subscriptions } from './live/subscriptions.ts'

/** What all requests share. */
export interface GraphqlService extends DocumentOptions {
  trusted: TrustedDocumentsOptions
  documents: Documents
  subscriptions: Subscriptions
  turns: Turns
}
