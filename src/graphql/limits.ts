/** How much a document may ask for, so that nobody's document is everybody's outage. */
import {
  type DocumentNode,
  GraphQLError,
  parse,
  type ParseOptions,
  type SelectionSetNode,
  type Source,
  type ValidationRule,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'

export const LIMITS = {
  /** Characters of a document: comments are not tokens, and are kept with the document all the same. */
  length: 16_384,
  /** Tokens: far fewer than it takes to exhaust the parser's stack. */
  tokens: 2_000,
  /** Fields that a document comes to when its fragments are put in; introspection by GraphiQL comes to about 150. */
  fields: 500,
} as const

/** What Yoga keeps of documents that it has seen: at most this many, each within the limits. */
export const documentCaches = {
  documentCache: new LRUCache<string, DocumentNode>({ max: 200 }),
  errorCache: new LRUCache<string, Error>({ max: 200 }),
  validationCache: true,
}

/** Refuses what is beyond the limits before it is parsed, or else before it is executed. */
export const limitDocuments: Plugin = {
  onParams: ({ params: { query } }) => {
    if (query && query.length > LIMITS.length) {
      throw refusal(`The document is longer than ${LIMITS.length} characters.`)
    }
  },
  onParse: ({ setParseFn }) => {
    setParseFn((source: string | Source, options?: ParseOptions) =>
      parse(source, { ...options, maxTokens: LIMITS.tokens }),
    )
  },
  onValidate: ({ addValidationRule }) => {
    addValidationRule(limitFields)
  },
}

/** Fragments double cheaply: what they come to is counted, each once, not walked. */
const limitFields: ValidationRule = (context) => {
  const known = new Map<string, number>()
  return {
    OperationDefinition(operation) {
      const fields = count(operation.selectionSet)
      if (fields <= LIMITS.fields) return
      context.reportError(refusal(`The document comes to ${fields} fields; ${LIMITS.fields} is the limit.`))
    },
  }

  function count({ selections }: SelectionSetNode): number {
    let fields = 0
    for (const selection of selections) {
      if (selection.kind === 'FragmentSpread') fields += countFragment(selection.name.value)
      else
        fields +=
          (selection.kind === 'Field' ? 1 : 0) + (selection.selectionSet ? count(selection.selectionSet) : 0)
    }
    return fields
  }

  function countFragment(name: string): number {
    const counted = known.get(name)
    if (counted !== undefined) return counted
    // A fragment that holds itself is another rule's business; here it must only end.
    known.set(name, 0)
    const fragment = context.getFragment(name)
    const fields = fragment ? count(fragment.selectionSet) : 0
    known.set(name, fields)
    return fields
  }
}

function refusal(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { http: { status: 400 } } })
}
