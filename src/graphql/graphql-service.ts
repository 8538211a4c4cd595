import type { Turns } from '../base/turns.ts'
import type { GraphqlSettings } from './request/graphql-settings.ts'
import type { Documents } from './documents/documents.ts'
import type { TrustedDocumentsOptions } from './documents/trusted-documents.ts'
import type { Subscriptions } from './live/subscriptions.ts'

/** What all requests share. */
export interface GraphqlService extends GraphqlSettings {
  trusted: TrustedDocumentsOptions
  documents: Documents
  subscriptions: Subscriptions
  turns: Turns
}
