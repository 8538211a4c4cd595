import type { GraphQLSchema } from 'graphql'
import type { DocumentLimits } from '../../config/graphql-config.ts'

/** The schema, and what is configured for all requests. */
export interface GraphqlSettings {
  schema: GraphQLSchema
  limits: DocumentLimits
  /**
   * Whether messages hide the schema, which clients need not know if they may send only trusted documents. One rule: they name what a client
   * sent, or has to send, and its type, but list nothing else that it could have sent: no suggestions, fields of an input, values of an enumeration.
   */
  hidesNames: boolean
}
