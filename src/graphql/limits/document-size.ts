/** The size of an operation, with its fragments expanded. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'
import type { Fragments } from './fragments.ts'

export interface DocumentSize {
  /** Levels of nested fields. */
  depth: number
  fields: number
  aliases: number
  directives: number
}

const NOTHING: DocumentSize = { depth: 0, fields: 0, aliases: 0, directives: 0 }

/** @param operation of a document, which need not be valid @param fragments of that document */
export function sizeOf(operation: OperationDefinitionNode, fragments: Fragments): DocumentSize {
  return new SizeReader(fragments).read(operation)
}

class SizeReader {
  readonly #fragments: Fragments
  /** Each fragment is measured once, however often it is used. */
  readonly #fragmentSizes = new Map<string, DocumentSize>()

  constructor(fragments: Fragments) {
    this.#fragments = fragments
  }

  /** What a node selects, with its directives. */
  read({
    selectionSet,
    directives = [],
  }: OperationDefinitionNode | FragmentDefinitionNode | FieldNode | InlineFragmentNode): DocumentSize {
    const sum = { ...NOTHING, directives: directives.length }
    for (const selection of selectionSet?.selections ?? []) {
      const part = this.#readSelection(selection)
      sum.depth = Math.max(sum.depth, part.depth)
      sum.fields += part.fields
      sum.aliases += part.aliases
      sum.directives += part.directives
    }
    return sum
  }

  #readSelection(selection: SelectionNode): DocumentSize {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const part = this.#readFragment(selection.name.value)
      return { ...part, directives: part.directives + (selection.directives?.length ?? 0) }
    }
    const part = this.read(selection)
    if (selection.kind === Kind.INLINE_FRAGMENT) return part
    return {
      ...part,
      depth: part.depth + 1,
      fields: part.fields + 1,
      aliases: part.aliases + (selection.alias ? 1 : 0),
    }
  }

  #readFragment(name: string): DocumentSize {
    const known = this.#fragmentSizes.get(name)
    if (known) return known
    // Another rule rejects a fragment that contains itself; here the recursion only has to end.
    this.#fragmentSizes.set(name, NOTHING)
    const fragment = this.#fragments.get(name)
    const size = fragment ? this.read(fragment) : NOTHING
    this.#fragmentSizes.set(name, size)
    return size
  }
}
