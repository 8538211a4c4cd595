/**
 * The shape of a document: its text without the leaf values of its arguments, which are texts, numbers, enum values, booleans and null.
 * Documents of one shape differ only in these values, so they are prepared once (documents.ts).
 */
import {
  type ConstValueNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  Lexer,
  parseType,
  Source,
  type Token,
  TokenKind,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { requireNotNull } from '../base/not-null.ts'

/** A leaf value in the text of a document, and its position there. */
export interface Leaf {
  node: ConstValueNode
  start: number
  end: number
}

export interface Shape {
  /** The text with U+0000, which is no part of any valid document but comments, in place of each leaf. */
  key: string
  leaves: readonly Leaf[]
}

/** @returns the text itself, without leaves, if it is not a document */
export function readShape(text: string): Shape {
  try {
    const leaves = readLeaves(new Lexer(new Source(text)))
    let [key, at] = ['', 0]
    for (const { start, end } of leaves) {
      key += `${text.slice(at, start)}\0`
      at = end
    }
    return { key: key + text.slice(at), leaves }
  } catch {
    return { key: text, leaves: [] }
  }
}

/** @throws GraphQLError if there is no such token in GraphQL */
function readLeaves(lexer: Lexer): Leaf[] {
  const leaves: Leaf[] = []
  let isArgument = false
  let before = lexer.token
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    const { lastToken: last } = lexer
    // Of a field: those of a directive follow `@` and its name, and those of an operation are its variables.
    if (token.kind === TokenKind.PAREN_L)
      isArgument = before.kind !== TokenKind.AT && lexer.lookahead().kind !== TokenKind.DOLLAR
    else if (token.kind === TokenKind.PAREN_R) isArgument = false
    else if (isArgument && last.kind !== TokenKind.DOLLAR) {
      const node = toLeaf(token)
      // A name before a colon is that of an argument, or of a field in an object.
      if (node && !(token.kind === TokenKind.NAME && lexer.lookahead().kind === TokenKind.COLON))
        leaves.push({ node, start: token.start, end: token.end })
    }
    before = last
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

/**
 * Whether a valid document is valid with any other values of its arguments that have the right types: only whether two fields of one
 * response key can be merged depends on these.
 */
export function isOneShape(document: DocumentNode): boolean {
  const keys = new Set<string>()
  let isEqual = false
  visit(document, {
    Field({ alias, name, arguments: args = [] }) {
      if (args.length === 0) return
      const key = (alias ?? name).value
      isEqual ||= keys.has(key)
      keys.add(key)
    },
  })
  return !isEqual
}

/** An argument whose value has been taken out of its document. */
export interface HoistedArgument {
  /** The name of the variable that stands for it: no document that is hoisted has such a name. */
  name: string
  type: GraphQLInputType
  node: ValueNode
  /** Whether the value does not depend on variables. */
  isConstant: boolean
}

/**
 * Replaces the values of the arguments of fields by variables, unless they are one variable.
 * @param document valid, with one operation, and without names that begin with `__` except `__typename`
 * @returns the document, its operation, and the arguments, in the order of the text
 */
export function hoistArguments(schema: GraphQLSchema, document: DocumentNode) {
  const hoistedArguments: HoistedArgument[] = []
  const types = new TypeInfo(schema)
  const withoutValues = visit(
    document,
    visitWithTypeInfo(types, {
      Directive: () => false,
      Argument(argument) {
        const { value: node } = argument
        const type = types.getInputType()
        if (node.kind === Kind.VARIABLE || !type) return undefined
        const name = `__${hoistedArguments.length}`
        hoistedArguments.push({ name, type, node, isConstant: !hasVariables(node) })
        return { ...argument, value: variableNamed(name) }
      },
    }),
  )
  const definitions = hoistedArguments.map(({ name, type }): VariableDefinitionNode => ({
    kind: Kind.VARIABLE_DEFINITION,
    variable: variableNamed(name),
    type: parseType(String(type)),
  }))
  const hoisted = visit(withoutValues, {
    OperationDefinition: ({ variableDefinitions = [], ...operation }) => ({
      ...operation,
      variableDefinitions: [...variableDefinitions, ...definitions],
    }),
  })
  return { hoisted, operation: requireNotNull(getOperationAST(hoisted), 'An operation'), hoistedArguments }
}

function hasVariables(node: ValueNode): boolean {
  let isFound = false
  visit(node, { Variable: () => void (isFound = true) })
  return isFound
}

function variableNamed(name: string): VariableNode {
  return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } }
}

/** The values of the arguments of a document, by the names of their variables. */
export type ArgumentNodes = Readonly<Record<string, ValueNode>>

/** @param leaves of a document of the same shape */
export function fillIn(hoistedArguments: readonly HoistedArgument[], leaves: readonly Leaf[]): ArgumentNodes {
  const nodes: Record<string, ValueNode> = {}
  let count = 0
  const nextLeaf = () => requireNotNull(leaves[count++], 'A leaf').node
  for (const { name, node } of hoistedArguments) nodes[name] = withLeaves(node, nextLeaf)
  return nodes
}

/** A value with other leaves. */
function withLeaves(node: ValueNode, nextLeaf: () => ConstValueNode): ValueNode {
  if (node.kind === Kind.VARIABLE) return node
  if (node.kind === Kind.LIST)
    return { ...node, values: node.values.map((value) => withLeaves(value, nextLeaf)) }
  if (node.kind === Kind.OBJECT) {
    const fields = node.fields.map((field) => ({ ...field, value: withLeaves(field.value, nextLeaf) }))
    return { ...node, fields }
  }
  return nextLeaf()
}
