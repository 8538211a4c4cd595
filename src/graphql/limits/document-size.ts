/** The sizes of the operations of a document, with its fragments expanded. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'
import type { Fragments } from './fragments.ts'

export interface OperationSize {
  /** Levels of nested fields. */
  depth: number
  fields: number
  aliases: number
  directives: number
}

/** All operations of a document, in the order of the text. */
export type OperationSizes = ReadonlyMap<OperationDefinitionNode, OperationSize>

const NOTHING: OperationSize = { depth: 0, fields: 0, aliases: 0, directives: 0 }

/** @param document valid or not @param fragments of the document */
export function measureOperations({ definitions }: DocumentNode, fragments: Fragments): OperationSizes {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  return new Map(operations.map((node) => [node, new SizeReader(fragments).read(node)]))
}

class SizeReader {
  readonly #fragments: Fragments
  /** Each fragment is measured once, however often it is used. */
  readonly #fragmentSizes = new Map<string, OperationSize>()

  constructor(fragments: Fragments) {
    this.#fragments = fragments
  }

  /** What a node selects, with its directives. */
  read({
    selectionSet,
    directives = [],
  }: OperationDefinitionNode | FragmentDefinitionNode | FieldNode | InlineFragmentNode): OperationSize {
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

  #readSelection(selection: SelectionNode): OperationSize {
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

  #readFragment(name: string): OperationSize {
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
