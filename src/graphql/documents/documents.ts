/**
 * The documents of clients: each is parsed, validated and compiled once, and kept as long as it comes again. A request sends a
 * `DocumentSource`, a text. This cache finds its `PreparedDocument`, by the text or by its shape (shared-shape.ts). Both together are a
 * `RequestDocument`, which is executed.
 */
import { LRUCache } from 'lru-cache'
import { type CompileWithArguments, createCompiler } from '../../workarounds/graphql-jit.ts'
import { RequestErrors } from '../errors/request-errors.ts'
import { throwIfBeyond } from '../limits/document-limits.ts'
import type { GraphqlSettings } from '../request/graphql-settings.ts'
import { ArgumentLiterals } from './document-arguments.ts'
import type { DocumentSource } from './document-source.ts'
import { type PreparedDocument, prepareDocument } from './prepared-document.ts'
import { RequestDocument } from './request-document.ts'

/** The maximum number of documents that are kept, and of the characters of their texts, each of which takes many bytes in a parsed document. */
const MAX_DOCUMENTS = 200
const MAX_CHARACTERS = 256 * 2 ** 10

export class Documents {
  readonly #settings: GraphqlSettings
  readonly #compile: CompileWithArguments
  /** By their texts, with what is wrong with those that are not valid. */
  readonly #known = new LRUCache<string, PreparedDocument | RequestErrors>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    // A size must not be 0, as that of an empty text, which a client may send by the id of a trusted document.
    sizeCalculation: (_, text) => text.length + 1,
    dispose: (known) => this.#forgetShape(known),
  })
  /** Of these, the ones that stand for all documents of their shape, by its text. */
  readonly #shapes = new Map<string, PreparedDocument>()

  constructor(settings: GraphqlSettings) {
    this.#settings = settings
    this.#compile = createCompiler(settings.schema)
  }

  /** The number of compiled documents. */
  get compiledCount(): number {
    const isCompiled = (known: PreparedDocument | RequestErrors) =>
      !(known instanceof RequestErrors) && known.program.isCompiled
    return [...this.#known.values()].filter(isCompiled).length
  }

  /**
   * @returns null: it is not known, so it has to be prepared
   * @throws RequestErrors if it is known not to be valid; ServiceError INVALID_REQUEST if it is too long
   */
  find(source: DocumentSource): RequestDocument | null {
    // Comments are not tokens, but they stay in memory with the document.
    throwIfBeyond(this.#settings.limits, 'length', source.text.length)
    return this.#findText(source) ?? this.#findShape(source)
  }

  /** Parses and validates a document, which takes long. @throws RequestErrors if it is not valid */
  prepare(source: DocumentSource): RequestDocument {
    // Another request may have prepared it since it was not found.
    return this.find(source) ?? this.#prepareNew(source)
  }

  /** @throws RequestErrors */
  #findText(source: DocumentSource): RequestDocument | null {
    const known = this.#known.get(source.text)
    if (known instanceof RequestErrors) throw known
    return known ? toRequestDocument(known, source) : null
  }

  /** @returns null, too, if a value does not have the right type: to say so, the document is validated by itself */
  #findShape(source: DocumentSource): RequestDocument | null {
    const shared = source.shape !== null && this.#shapes.get(source.shape)
    if (!shared) return null
    // The document that is shared counts as used.
    this.#known.get(shared.source.text)
    const literals = new ArgumentLiterals(shared.arguments, source.leaves)
    return literals.areValid() ? new RequestDocument(shared, source, literals) : null
  }

  /** @throws RequestErrors */
  #prepareNew(source: DocumentSource): RequestDocument {
    const { text } = source
    try {
      const prepared = prepareDocument(source, this.#settings, this.#compile)
      const { sharedShape } = prepared
      this.#known.set(text, prepared)
      // One that is too long is not kept.
      if (sharedShape !== null && this.#known.has(text)) this.#shapes.set(sharedShape, prepared)
      return toRequestDocument(prepared, source)
    } catch (error) {
      if (error instanceof RequestErrors) this.#known.set(text, error)
      throw error
    }
  }

  /** A document is only prepared if none of its shape was found, or its values are not valid; then it is not kept. So the shape is its own. */
  #forgetShape(known: PreparedDocument | RequestErrors): void {
    if (!(known instanceof RequestErrors) && known.sharedShape !== null)
      this.#shapes.delete(known.sharedShape)
  }
}

/** @param source of the text that was prepared */
function toRequestDocument(prepared: PreparedDocument, source: DocumentSource): RequestDocument {
  return new RequestDocument(prepared, source, new ArgumentLiterals(prepared.arguments))
}
