/** The documents of clients: each is parsed, validated and compiled once, and kept as long as it comes again. */
import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { DocumentLimits } from '../../config/variable-parsers.ts'
import { createCompiler } from '../../workarounds/graphql-jit.ts'
import { RequestErrors } from '../masked-errors.ts'
import { throwIfBeyond } from './document-limits.ts'
import { readShape } from './document-shape.ts'
import { prepareDocument, type PreparedDocument, type PrepareOptions } from './prepared-document.ts'
import { RequestDocument } from './request-document.ts'

/** The maximum number of documents that are kept, and of the characters of their texts, each of which takes many bytes in a parsed document. */
const MAX_DOCUMENTS = 200
const MAX_CHARACTERS = 256 * 2 ** 10

export class Documents {
  readonly #options: PrepareOptions
  /** By their texts, with what is wrong with those that are not valid. */
  readonly #known = new LRUCache<string, PreparedDocument | RequestErrors>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + 1,
    dispose: (known) => this.#forgetShape(known),
  })
  /** Of these, the ones that stand for all documents of their shape, by its text. */
  readonly #shapes = new Map<string, PreparedDocument>()

  /** @param hideSuggestions as for prepareDocument */
  constructor(schema: GraphQLSchema, limits: DocumentLimits, hideSuggestions: boolean) {
    this.#options = { schema, limits, hideSuggestions, compile: createCompiler(schema) }
  }

  /** The number of compiled documents. */
  get compiledCount(): number {
    return [...this.#known.values()].filter((known) => 'execute' in known && known.execute).length
  }

  /** @returns null if the document has to be prepared @throws RequestErrors if it is not valid; ServiceError INVALID_REQUEST if it is too long */
  find(text: string): RequestDocument | null {
    // Comments are not tokens, but they stay in memory with the document.
    throwIfBeyond(this.#options.limits, 'length', text.length)
    const own = this.#known.get(text)
    if (own instanceof RequestErrors) throw own
    if (own) return new RequestDocument(own, text, [])
    const shape = readShape(text)
    const shared = shape.leaves.length > 0 && this.#shapes.get(shape.text)
    if (!shared) return null
    // The document that is shared counts as used.
    this.#known.get(shared.text)
    const document = new RequestDocument(shared, text, shape.leaves)
    return document.isValid() ? document : null
  }

  /** Parses and validates a document, which takes long. @throws RequestErrors if it is not valid */
  prepare(text: string): RequestDocument {
    try {
      const prepared = prepareDocument(text, this.#options)
      this.#known.set(text, prepared)
      // One that is too long is not kept.
      if (prepared.shape && this.#known.has(text)) this.#shapes.set(prepared.shape.text, prepared)
      return new RequestDocument(prepared, text, [])
    } catch (error) {
      if (error instanceof RequestErrors) this.#known.set(text, error)
      throw error
    }
  }

  #forgetShape(known: PreparedDocument | RequestErrors): void {
    if (known instanceof RequestErrors || !known.shape) return
    if (this.#shapes.get(known.shape.text) === known) this.#shapes.delete(known.shape.text)
  }
}
