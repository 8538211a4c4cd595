import type { DocumentNode, GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import type { DocumentLimits } from '../config/env.ts'
import { GRAPHQL_PATH } from '../http/routes.ts'
import type { CompiledQueries } from './compiled-queries.ts'
import { limitDocuments } from './document-limits.ts'
import { EventTexts } from './event-texts.ts'
import type { Context } from './schema/context.ts'
import { type TrustedDocumentsOptions, useTrustedDocuments } from './trusted-documents.ts'
import {
  noteExecutions,
  rejectRoundedNumbers,
  requireQuery,
  takeResult,
  useGraphqlJs,
  type YogaOutcome,
} from './yoga-plugins.ts'

/** The maximum number of parsed documents in the cache; each is within the limits. */
const MAX_DOCUMENTS = 200

export interface YogaOptions {
  schema: GraphQLSchema
  limits: DocumentLimits
  trusted: TrustedDocumentsOptions
  /** Records which documents are executed. */
  queries: CompiledQueries
}

/** What Yoga answers: `response` has the status and the headers. Nothing reads its body, which would only then be made. */
export interface YogaAnswer extends YogaOutcome {
  response: Response
}

export type AskYoga = (url: string, init: RequestInit, context: Context) => Promise<YogaAnswer>

/** Yoga for GraphQL over HTTP, without the features that other parts of the server provide. */
export function createGraphqlYoga({ schema, limits, trusted, queries }: YogaOptions): AskYoga {
  const yoga = createYoga<Context & { outcome: YogaOutcome }>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: false,
    logging: false,
    // takeResult masks them instead, because it has the request's logger.
    maskedErrors: false,
    parserAndValidationCache: {
      documentCache: new LRUCache<string, DocumentNode>({ max: MAX_DOCUMENTS }),
      errorCache: new LRUCache<string, Error>({ max: MAX_DOCUMENTS }),
      validationCache: true,
    },
    extraParamNames: ['documentId'],
    plugins: [
      useTrustedDocuments(trusted),
      requireQuery,
      limitDocuments(limits),
      rejectRoundedNumbers,
      useGraphqlJs(new EventTexts(), { hideSuggestions: trusted.hidesSuggestions }),
      noteExecutions(queries),
      takeResult,
    ],
  })
  return async (url, init, context) => {
    const outcome: YogaOutcome = { answer: null }
    const response = await yoga.fetch(url, init, { ...context, outcome })
    return { response, ...outcome }
  }
}
