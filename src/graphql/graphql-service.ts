import type { GraphQLSchema, VariableValues } from 'graphql'
import type { Turns } from '../base/turns.ts'
import type { DocumentLimits } from '../config/variable-parsers.ts'
import type { Documents } from './documents/documents.ts'
import type { RequestDocument } from './documents/request-document.ts'
import type { TrustedDocumentsOptions } from './documents/trusted-documents.ts'
import type { Subscriptions } from './live/subscriptions.ts'
import type { Params } from './params.ts'

/** What all requests share. */
export interface GraphqlService {
  schema: GraphQLSchema
  limits: DocumentLimits
  trusted: TrustedDocumentsOptions
  documents: Documents
  subscriptions: Subscriptions
  turns: Turns
}

/** What is executed. */
export interface Execution {
  params: Params
  document: RequestDocument
  values: VariableValues
}
