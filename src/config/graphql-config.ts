/** The variables of the GraphQL API. */
import { type Environment, Invalid } from './environment.ts'
import { parseSwitch } from './variable-parsers.ts'

export interface GraphqlConfig {
  /** Whether GraphiQL is served: not where only trusted documents run, since all of its documents would be rejected. */
  graphiql: boolean
  graphqlLimits: DocumentLimits
  trustedDocuments: {
    /** The path of the manifest of trusted documents; null: there are none. */
    manifest: string | null
    /** Whether to reject all other documents. */
    only: boolean
  }
}

export function readGraphql(env: Environment): GraphqlConfig {
  const graphiql = env.read('GRAPHIQL', true, parseSwitch)
  const manifest = env.text('TRUSTED_DOCUMENTS') || null
  const only = env.read('TRUSTED_DOCUMENTS_ONLY', false, parseSwitch)
  if (only && manifest === null)
    env.problems.push(
      'TRUSTED_DOCUMENTS must be the path of a manifest, since TRUSTED_DOCUMENTS_ONLY is true',
    )
  return {
    graphiql: graphiql && !only,
    graphqlLimits: env.read('GRAPHQL_LIMITS', DEFAULT_DOCUMENT_LIMITS, parseDocumentLimits),
    trustedDocuments: { manifest, only },
  }
}

/** Enough for GraphiQL's introspection query, and for a page of 100 items with all fields, cursors and counts. */
const DEFAULT_DOCUMENT_LIMITS = {
  /** Characters, including comments. */
  length: 16_384,
  tokens: 2_000,
  /** Levels of nested fields. */
  depth: 20,
  aliases: 30,
  directives: 30,
  /** See graphql/limits/query-cost.ts. */
  cost: 4_000,
}

/**
 * The maximum cost of the open requests of one API key (http/open-cost.ts). It is not configurable, since what may be open at once
 * bounds the memory of the process; it is here because GRAPHQL_LIMITS may not let a document cost more.
 */
export const MAX_OPEN_COST_OF_KEY = 20_000

/** Limits on a GraphQL document after fragment expansion. */
export type DocumentLimits = typeof DEFAULT_DOCUMENT_LIMITS

/** Parses `depth=10,cost=500`; limits that are not named keep their defaults. */
function parseDocumentLimits(text: string): DocumentLimits {
  const limits = { ...DEFAULT_DOCUMENT_LIMITS }
  for (const pair of text.split(',')) {
    const [, name = '', value] = /^\s*(\w+)=([1-9]\d{0,8})\s*$/.exec(pair) ?? []
    if (name === 'cost' && Number(value) > MAX_OPEN_COST_OF_KEY)
      throw new Invalid(
        `cost=${MAX_OPEN_COST_OF_KEY} at most, since the open requests of one key may not cost more together`,
      )
    if (!isLimit(name)) {
      const names = Object.keys(limits).join(', ')
      throw new Invalid(`a comma-separated list like depth=10,cost=500, of ${names}`)
    }
    limits[name] = Number(value)
  }
  return limits
}

function isLimit(name: string): name is keyof DocumentLimits {
  return Object.hasOwn(DEFAULT_DOCUMENT_LIMITS, name)
}
