/**
 * Documents that differ only in the values of their arguments have one shape, and only the first of them is prepared:
 *
 *     { node(id: "1") { id } }     is parsed, validated, and compiled when it comes again
 *     { node(id: ␀) { id } }       is its shape: its text without its leaves, of which it has one, "1"
 *     { node(id: "27") { id } }    has the same shape, so it is executed as the first one, with "27" in place of "1"
 *
 * A leaf is a text, number, enum value, boolean or null in an argument, also within lists and objects. graphql-js's lexer finds the leaves in
 * a few microseconds; parsing and validating would take hundreds.
 *
 * Only this file knows leaves. documents.ts finds a prepared document by a shape, and request-document.ts executes it with other values.
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

/** A leaf in the text of a document, and its position there. */
interface Leaf {
  node: ConstValueNode
  start: number
  end: number
}

/** The text of a document. Its tokens are read when its shape is asked for, which a document that is found by its text does not need. */
export class DocumentSource {
  readonly text: string
  #leaves: readonly Leaf[] | null = null
  #shape: string | null = null

  constructor(text: string) {
    this.text = text
  }

  /** In the order of the text; none if it has a token that is not of GraphQL. */
  get leaves(): readonly Leaf[] {
    return (this.#leaves ??= readLeaves(this.text))
  }

  /** The text with U+0000 in place of each leaf; null: it has no leaves. */
  get shape(): string | null {
    return (this.#shape ??= this.#removeLeaves())
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

  /**
   * @param tree this document, which is valid @param args all arguments in it
   * @returns its shape, if all documents of that shape are valid whose values have the right types; otherwise null
   */
  findSharedShape(tree: DocumentNode, args: readonly DocumentArgument[]): string | null {
    if (this.shape === null) return null
    const nodes = args.flatMap(({ node }) => listLeaves(node.value))
    return areAt(nodes, this.leaves) && isValidWithAnyValues(tree) ? this.shape : null
  }

  /** @param args of a prepared document of the same shape @returns their values with the leaves of this one, by their nodes there */
  fillIn(args: readonly DocumentArgument[]): Map<ArgumentNode, ValueNode> {
    const rest = this.leaves.values()
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

/** The leaf values in a value, in the order of the text. */
function listLeaves(node: ValueNode): ValueNode[] {
  if (node.kind === Kind.VARIABLE) return []
  if (node.kind === Kind.LIST) return node.values.flatMap(listLeaves)
  if (node.kind === Kind.OBJECT) return node.fields.flatMap(({ value }) => listLeaves(value))
  return [node]
}

/** Whether the parser has found the same leaves as the lexer, which knows less of GraphQL's syntax. */
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
