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
 * 3. Each value has the type of its argument. This one depends on the values, so each request checks it (ArgumentLiterals.areValid).
 */
import { type DocumentNode, visit } from 'graphql'
import { type DocumentArguments, haveLeaves } from './document-arguments.ts'
import type { DocumentSource } from './document-source.ts'

/**
 * @param tree what the parser has made of the source; it is valid @param args all arguments in it
 * @returns the shape if the document stands for it; null: it stands only for itself
 */
export function findSharedShape(
  { shape, leaves }: DocumentSource,
  tree: DocumentNode,
  args: DocumentArguments,
): string | null {
  if (shape === null) return null
  return haveLeaves(args, leaves) && !mayCompareValues(tree) ? shape : null
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
