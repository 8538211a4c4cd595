/** How much a document may ask for, so that nobody's document is everybody's outage. */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  parse,
  type ParseOptions,
  type SelectionSetNode,
  type Source,
  type ValidationRule,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { PAGE_SIZE } from './connection.ts'
import { LRUCache } from 'lru-cache'

export const LIMITS = {
  /** Characters of a document: comments are not tokens, and are kept with the document all the same. */
  length: 16_384,
  /** Tokens: far fewer than it takes to exhaust the parser's stack. */
  tokens: 2_000,
  /** Fields that a document comes to when its fragments are put in; introspection by GraphiQL comes to about 150. */
  fields: 500,
  /** The same, what lies below a list counted once for each animal that the page may hold. */
  values: 2_000,
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

/** What a selection comes to, and what it may answer. */
interface Weight {
  fields: number
  values: number
}

/** Fragments double cheaply: what they come to is counted, each once, not walked. */
const limitFields: ValidationRule = (context) => {
  const known = new Map<string, Weight>()
  return {
    OperationDefinition(operation) {
      const weight = weigh(operation.selectionSet)
      const exceeded = (['fields', 'values'] as const).find((what) => weight[what] > LIMITS[what])
      if (!exceeded) return
      context.reportError(
        refusal(`The document comes to ${weight[exceeded]} ${exceeded}; ${LIMITS[exceeded]} is the limit.`),
      )
    },
  }

  function weigh({ selections }: SelectionSetNode): Weight {
    const weights = selections.map((selection): Weight => {
      if (selection.kind === 'FragmentSpread') return weighFragment(selection.name.value)
      const below = selection.selectionSet ? weigh(selection.selectionSet) : { fields: 0, values: 0 }
      if (selection.kind === 'InlineFragment') return below
      return { fields: below.fields + 1, values: below.values * pageSizeOf(selection) + 1 }
    })
    return {
      fields: weights.reduce((sum, { fields }) => sum + fields, 0),
      values: weights.reduce((sum, { values }) => sum + values, 0),
    }
  }

  function weighFragment(name: string): Weight {
    const weighed = known.get(name)
    if (weighed) return weighed
    // A fragment that holds itself is another rule's business; here it must only end.
    known.set(name, { fields: 0, values: 0 })
    const fragment = context.getFragment(name)
    const weight = fragment ? weigh(fragment.selectionSet) : { fields: 0, values: 0 }
    known.set(name, weight)
    return weight
  }
}

/** How many animals a field answers with at most: its page size where the document says so, the largest one where a variable does. */
function pageSizeOf({ name, arguments: given = [] }: FieldNode): number {
  if (name.value !== 'pets') return 1
  const size = given.find(
    (argument) => argument.name.value === 'first' || argument.name.value === 'last',
  )?.value
  if (!size) return PAGE_SIZE.default
  return size.kind === 'IntValue' ? Math.min(Number(size.value), PAGE_SIZE.maximum) : PAGE_SIZE.maximum
}

function refusal(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { http: { status: 400 } } })
}
