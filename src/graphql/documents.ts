/** The documents of clients: each is parsed, validated, measured and compiled once, and kept as long as it comes again. */
import type { DocumentNode, GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { requireNotNull } from '../base/not-null.ts'
import type { DocumentLimits } from '../config/variable-parsers.ts'
import { compileClientDocument } from '../workarounds/graphql-jit.ts'
import { throwIfBeyond } from './document-limits.ts'
import { readShape } from './document-shape.ts'
import { throwErrors } from './masked-errors.ts'
import { prepareDocument, type PreparedDocument } from './prepared-document.ts'
import { RequestDocument } from './request-document.ts'

/** The maximum number of documents that are kept, and of their characters, each of which takes many bytes there. */
const MAX_DOCUMENTS = 200
const MAX_CHARACTERS = 256 * 2 ** 10

export class Documents {
  readonly #schema: GraphQLSchema
  readonly #limits: DocumentLimits
  readonly #hideSuggestions: boolean
  /** By shape if it stands for all of that, otherwise by text. */
  readonly #known = new LRUCache<string, RequestDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, key) => key.length + 1,
  })

  /** @param hideSuggestions as for prepareDocument */
  constructor(schema: GraphQLSchema, limits: DocumentLimits, hideSuggestions: boolean) {
    this.#schema = schema
    this.#limits = limits
    this.#hideSuggestions = hideSuggestions
  }

  /** The number of compiled documents. */
  get compiledCount(): number {
    return [...this.#known.values()].filter(({ prepared }) => prepared.template?.program).length
  }

  /** @returns null if the document has to be prepared */
  find(text: string): RequestDocument | null {
    const known = this.#known.get(text)
    if (known && !known.isShared) return known
    if (text.length > this.#limits.length) return null
    const { key, leaves } = readShape(text)
    return this.#known.get(key)?.withLeaves(leaves, text) ?? null
  }

  /** Parses and validates a document, which takes long. @throws ServiceError INVALID_REQUEST if the text is too long */
  prepare(text: string): RequestDocument {
    // Comments are not tokens, but they stay in memory with the document.
    throwIfBeyond(this.#limits, 'length', text.length)
    const { key, leaves } = readShape(text)
    const document = new RequestDocument(this.#prepare(text), leaves, text)
    this.#known.set(document.isShared ? key : text, document)
    return document
  }

  /** Compiles a document that is executed again, if it can be compiled. Takes long. */
  compileAgain({ prepared: { template } }: RequestDocument): void {
    if (template?.hasRun && template.program === undefined)
      template.program = compileClientDocument(this.#schema, template.hoisted)
    if (template) template.hasRun = true
  }

  /** A document as graphql-js executes it. Takes long, if another one was prepared. @throws RequestErrors if it is not valid */
  astOf({ isFirst, prepared, text }: RequestDocument): DocumentNode {
    const { document, errors } = isFirst ? prepared : this.#prepare(text)
    throwErrors(errors)
    return requireNotNull(document, 'A valid document')
  }

  #prepare(text: string): PreparedDocument {
    return prepareDocument(this.#schema, text, this.#limits, this.#hideSuggestions)
  }
}
