/**
 * When a prepared document stands for all documents of its shape:
 *
 *     { node(id: "1") { id } }     is parsed, validated, and compiled when it comes again
 *     { node(id: "27") { id } }    has the same shape, so it is executed as the first one, with "27" in place of "1"
 *
 * It has to be what the parser would make of the second text, and as valid:
 *
 * 1. The lexer and the parser have found the same leaves, so each can be replaced.
 * 2. No two values need to be equal.
 * 3. Each value has the type of its argument. This one depends on the values, so each request checks it (RequestDocument.isValid).
 */
import { type ArgumentNode, type DocumentNode, Kind, type ValueNode, visit } from 'graphql'
import type { DocumentArgument } from '../../workarounds/graphql-jit.ts'
import type { DocumentSource, Leaf, LeafNode } from './document-source.ts'

/**
 * @param tree what the parser has made of the source; it is valid @param args all arguments in it
 * @returns the shape if the document stands for it; null: it stands only for itself
 */
export function findSharedShape(
  { shape, leaves }: DocumentSource,
  tree: DocumentNode,
  args: readonly DocumentArgument[],
): string | null {
  if (shape === null) return null
  return areLeavesOf(args, leaves) && !mayCompareValues(tree) ? shape : null
}

/** Whether the leaves that the lexer has found, which knows less of GraphQL's syntax, are those of the arguments. */
function areLeavesOf(args: readonly DocumentArgument[], leaves: readonly Leaf[]): boolean {
  const nodes = args.flatMap(({ node }) => listLeaves(node.value))
  return (
    nodes.length === leaves.length &&
    nodes.every(({ loc }, index) => loc?.start === leaves[index]?.start && loc?.end === leaves[index]?.end)
  )
}

/** In the order of the text. */
function listLeaves(value: ValueNode): LeafNode[] {
  if (value.kind === Kind.VARIABLE) return []
  if (value.kind === Kind.LIST) return value.values.flatMap(listLeaves)
  if (value.kind === Kind.OBJECT) return value.fields.flatMap((field) => listLeaves(field.value))
  return [value]
}

/**
 * Whether a rule of GraphQL may compare values of the document with each other. One does: fields with the same response key need the same
 * arguments, since they become one (https://spec.graphql.org/September2025/#sec-Field-Selection-Merging).
 */
function mayCompareValues(tree: DocumentNode): boolean {
  const keys: string[] = []
  visit(tree, {
    Field({ alias, name, arguments: args = [] }) {
      if (args.length > 0) keys.push((alias ?? name).value)
    },
  })
  return new Set(keys).size < keys.length
}

/** @param args of a prepared document @param leaves of another one of its shape @returns their values with these leaves, by their nodes */
export function fillIn(
  args: readonly DocumentArgument[],
  leaves: readonly Leaf[],
): ReadonlyMap<ArgumentNode, ValueNode> {
  const rest = leaves.values()
  const fill = (value: ValueNode): ValueNode => {
    if (value.kind === Kind.VARIABLE) return value
    if (value.kind === Kind.LIST) return { ...value, values: value.values.map(fill) }
    if (value.kind === Kind.OBJECT) {
      const fields = value.fields.map((field) => ({ ...field, value: fill(field.value) }))
      return { ...value, fields }
    }
    const { value: leaf } = rest.next()
    return leaf ? { ...leaf.node, loc: value.loc } : value
  }
  return new Map(args.map(({ node }) => [node, fill(node.value)]))
}
