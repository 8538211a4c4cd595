/**
 * The shape of a document: its text without the leaf values of its arguments, which are texts, numbers, enum values, booleans and null.
 * Documents of one shape differ only in these values, so they are prepared once (documents.ts).
 */
import {
  type ArgumentNode,
  type ConstValueNode,
  type DocumentNode,
  Kind,
  Lexer,
  Source,
  type Token,
  TokenKind,
  type ValueNode,
  visit,
} from 'graphql'
import type { DocumentArgument } from '../../workarounds/graphql-jit.ts'

/** A leaf value in the text of a document, and its position there. */
export interface Leaf {
  node: ConstValueNode
  start: number
  end: number
}

/** The text of a document, whose tokens were read. */
export interface DocumentSource {
  text: string
  /** The text with U+0000 in place of each leaf; null: it has no leaves. */
  shape: string | null
  leaves: readonly Leaf[]
}

/** Reads the tokens of a text, without parsing it. One that has a token which is not of GraphQL has no leaves. */
export function readSource(text: string): DocumentSource {
  const leaves = readLeaves(text)
  if (leaves.length === 0) return { text, shape: null, leaves }
  let shape = ''
  let end = 0
  for (const leaf of leaves) {
    shape += `${text.slice(end, leaf.start)}\0`
    end = leaf.end
  }
  return { text, shape: shape + text.slice(end), leaves }
}

function readLeaves(text: string): readonly Leaf[] {
  try {
    return collectLeaves(new Lexer(new Source(text)))
  } catch {
    return []
  }
}

/** @throws GraphQLError if there is a token that is not of GraphQL */
function collectLeaves(lexer: Lexer): Leaf[] {
  const leaves: Leaf[] = []
  let depth = 0
  let isArgument = false
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (token.kind === TokenKind.BRACE_L) depth += 1
    else if (token.kind === TokenKind.BRACE_R) depth -= 1
    // Outside of all braces, parentheses are around variables, or arguments of directives of a whole operation.
    else if (token.kind === TokenKind.PAREN_L) isArgument = depth > 0
    else if (token.kind === TokenKind.PAREN_R) isArgument = false
    else if (isArgument && lexer.lastToken.kind !== TokenKind.DOLLAR) {
      const node = toLeaf(token)
      // A name before a colon is that of an argument, or of a field in an object.
      if (node && !(token.kind === TokenKind.NAME && lexer.lookahead().kind === TokenKind.COLON))
        leaves.push({ node, start: token.start, end: token.end })
    }
  }
  return leaves
}

/** @returns null if the token is no leaf value */
function toLeaf({ kind, value }: Token): ConstValueNode | null {
  switch (kind) {
    case TokenKind.INT:
      return { kind: Kind.INT, value }
    case TokenKind.FLOAT:
      return { kind: Kind.FLOAT, value }
    case TokenKind.STRING:
      return { kind: Kind.STRING, value }
    case TokenKind.BLOCK_STRING:
      return { kind: Kind.STRING, value, block: true }
    case TokenKind.NAME:
      if (value === 'null') return { kind: Kind.NULL }
      if (value === 'true' || value === 'false') return { kind: Kind.BOOLEAN, value: value === 'true' }
      return { kind: Kind.ENUM, value }
    default:
      return null
  }
}

/** @param args of the document @returns the shape of a valid document, if it stands for all others of its shape; otherwise null */
export function findSharedShape(
  { shape, leaves }: DocumentSource,
  document: DocumentNode,
  args: readonly DocumentArgument[],
): string | null {
  if (shape === null) return null
  const nodes = args.flatMap(({ node }) => listLeaves(node.value))
  return areAt(nodes, leaves) && isValidWithAnyValues(document) ? shape : null
}

/** The leaf values in a value, in the order of the text. */
function listLeaves(node: ValueNode): ValueNode[] {
  if (node.kind === Kind.VARIABLE) return []
  if (node.kind === Kind.LIST) return node.values.flatMap(listLeaves)
  if (node.kind === Kind.OBJECT) return node.fields.flatMap(({ value }) => listLeaves(value))
  return [node]
}

/** Whether the parser has found the same leaves as `readSource`, which knows less of GraphQL's syntax. */
function areAt(nodes: readonly ValueNode[], leaves: readonly Leaf[]): boolean {
  return (
    nodes.length === leaves.length &&
    nodes.every(({ loc }, index) => loc?.start === leaves[index]?.start && loc?.end === leaves[index]?.end)
  )
}

/**
 * Whether a valid document is valid with any values of its arguments that have the right types. Only fields of one response key may need
 * the same ones.
 */
function isValidWithAnyValues(document: DocumentNode): boolean {
  const keys: string[] = []
  visit(document, {
    Field({ alias, name, arguments: args = [] }) {
      if (args.length > 0) keys.push((alias ?? name).value)
    },
  })
  return new Set(keys).size === keys.length
}

/** @returns the values of arguments with other leaves, whose places are still those that were prepared */
export function fillIn(
  args: readonly DocumentArgument[],
  leaves: readonly Leaf[],
): Map<ArgumentNode, ValueNode> {
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

/** @returns where a position in a document is in another one of its shape @param from the leaves of the first @param to of the other */
export function movePosition(position: number, from: readonly Leaf[], to: readonly Leaf[]): number {
  let moved = position
  for (const [index, { start, end }] of from.entries()) {
    const other = to[index]
    if (start < position && other) moved += other.end - other.start - (end - start)
  }
  return moved
}
