/**
 * The shape of a document: its text without the leaf values of its arguments, which are texts, numbers, enum values, booleans and null.
 * Documents of one shape differ only in these values, so they are prepared once (documents.ts).
 */
import { type ConstValueNode, Kind, Lexer, Source, type Token, TokenKind } from 'graphql'

/** A leaf value in the text of a document, and its position there. */
export interface Leaf {
  node: ConstValueNode
  start: number
  end: number
}

export interface Shape {
  /** With U+0000 in place of each leaf. */
  text: string
  leaves: readonly Leaf[]
}

/** Reads the tokens of a text, without parsing it. @returns the text itself, without leaves, if there is no such token in GraphQL */
export function readShape(text: string): Shape {
  try {
    const leaves = readLeaves(new Lexer(new Source(text)))
    let [shape, at] = ['', 0]
    for (const { start, end } of leaves) {
      shape += `${text.slice(at, start)}\0`
      at = end
    }
    return { text: shape + text.slice(at), leaves }
  } catch {
    return { text, leaves: [] }
  }
}

/** @throws GraphQLError */
function readLeaves(lexer: Lexer): Leaf[] {
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
