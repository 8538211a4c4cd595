/**
 * The text of a document, as its shape and its leaves:
 *
 *     { node(id: "27") { id } }    has the leaf "27"
 *     { node(id: ␀) { id } }       is its shape, with U+0000 in place of the leaf
 *
 * A leaf is a text, number, enum value, boolean or null in an argument, also within lists and objects. graphql-js's lexer finds the leaves in
 * a few microseconds; parsing and validating would take hundreds. Documents of one shape share what is prepared (shared-shape.ts).
 */
import {
  type ConstListValueNode,
  type ConstObjectValueNode,
  type ConstValueNode,
  Kind,
  Lexer,
  Source,
  type Token,
  TokenKind,
} from 'graphql'

/** A value that is no variable, and contains no others. */
export type LeafNode = Exclude<ConstValueNode, ConstListValueNode | ConstObjectValueNode>

/** A leaf in the text of a document, and its position there. */
export interface Leaf {
  node: LeafNode
  start: number
  end: number
}

/** The text of a document. Its tokens are read when its shape is asked for, which a document that is found by its text does not need. */
export class DocumentSource {
  readonly text: string
  #leaves: readonly Leaf[] | null = null
  /** Undefined: its tokens have not been read. */
  #shape: string | null | undefined

  constructor(text: string) {
    this.text = text
  }

  /** In the order of the text; none if it has a token that is not of GraphQL. */
  get leaves(): readonly Leaf[] {
    return (this.#leaves ??= readLeaves(this.text))
  }

  /** The text with U+0000 in place of each leaf; null: it has no leaves. */
  get shape(): string | null {
    if (this.#shape === undefined) this.#shape = this.#removeLeaves()
    return this.#shape
  }

  #removeLeaves(): string | null {
    if (this.leaves.length === 0) return null
    let shape = ''
    let end = 0
    for (const leaf of this.leaves) {
      shape += `${this.text.slice(end, leaf.start)}\0`
      end = leaf.end
    }
    return shape + this.text.slice(end)
  }

  /** @param position in another document of the same shape @returns where that is in this one, whose leaves may be longer or shorter */
  movePosition(position: number, other: DocumentSource): number {
    let moved = position
    for (const [index, { start, end }] of other.leaves.entries()) {
      const own = this.leaves[index]
      if (start < position && own) moved += own.end - own.start - (end - start)
    }
    return moved
  }
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
function toLeaf({ kind, value }: Token): LeafNode | null {
  switch (kind) {
    case TokenKind.INT:
      return { kind: Kind.INT, value }
    case TokenKind.FLOAT:
      return { kind: Kind.FLOAT, value }
    case TokenKind.STRING:
    case TokenKind.BLOCK_STRING:
      return { kind: Kind.STRING, value }
    case TokenKind.NAME:
      if (value === 'null') return { kind: Kind.NULL }
      if (value === 'true' || value === 'false') return { kind: Kind.BOOLEAN, value: value === 'true' }
      return { kind: Kind.ENUM, value }
    default:
      return null
  }
}
