/** The documents of clients: each is parsed, validated and compiled once, and kept as long as it comes again. */
import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { DocumentLimits } from '../../config/variable-parsers.ts'
import { createCompiler } from '../../workarounds/graphql-jit.ts'
import { RequestErrors } from '../masked-errors.ts'
import { throwIfBeyond } from './document-limits.ts'
import { readShape, type Shape } from './document-shape.ts'
import { prepareDocument, type PreparedDocument, type PrepareOptions } from './prepared-document.ts'
import { RequestDocument } from './request-document.ts'

/** The maximum number of documents that are kept, and of the characters of their texts, each of which takes many bytes there. */
const MAX_DOCUMENTS = 200
const MAX_CHARACTERS = 256 * 2 ** 10

export class Documents {
  readonly #options: PrepareOptions
  /** By `keyOfShape` if it stands for all documents of its shape, otherwise by `keyOfText`, as what is wrong with one that is not valid. */
  readonly #known = new LRUCache<string, PreparedDocument | RequestErrors>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (known, key) => (known instanceof RequestErrors ? key : known.text).length + 1,
  })

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
    const own = this.#known.get(keyOfText(text))
    if (own instanceof RequestErrors) throw own
    if (own) return new RequestDocument(own, text, [])
    const shape = readShape(text)
    const shared = this.#known.get(keyOfShape(shape))
    if (!shared || shared instanceof RequestErrors) return null
    const document = new RequestDocument(shared, text, shape.leaves)
    return document.isValid() ? document : null
  }

  /** Parses and validates a document, which takes long. @throws RequestErrors if it is not valid */
  prepare(text: string): RequestDocument {
    const shape = readShape(text)
    try {
      const prepared = prepareDocument(text, shape.leaves, this.#options)
      this.#known.set(prepared.leaves.length > 0 ? keyOfShape(shape) : keyOfText(text), prepared)
      return new RequestDocument(prepared, text, prepared.leaves)
    } catch (error) {
      if (error instanceof RequestErrors) this.#known.set(keyOfText(text), error)
      throw error
    }
  }
}

const keyOfText = (text: string) => `text ${text}`

/** With the number of leaves, since the text of a shape may also be that of a document without any. */
const keyOfShape = ({ text, leaves }: Shape) => `shape of ${leaves.length} ${text}`
