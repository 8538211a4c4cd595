/**
 * The arguments of a document, and the values that they have in a request. Documents of one shape differ only in the leaves of these values, so
 * a prepared document is executed with the leaves of another one.
 *
 * Leaves belong to values by their order in the text, in which `mapLeaves` goes over them. All else goes by the nodes of arguments. (The places of
 * leaves, DocumentSource.movePosition, belong to each other by their order, too.)
 */
import {
  type ArgumentNode,
  coerceInputLiteral,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  TypeInfo,
  validateInputLiteral,
  type ValueNode,
  type VariableValues,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Leaf, LeafNode } from './document-source.ts'

/** An argument of a field, or of a directive. */
interface DocumentArgument {
  node: ArgumentNode
  definition: GraphQLArgument
}

/** All arguments of a document, in the order of the text. */
export type DocumentArguments = readonly DocumentArgument[]

/** @param tree a valid document */
export function listArguments(schema: GraphQLSchema, tree: DocumentNode): DocumentArguments {
  const args: DocumentArgument[] = []
  const types = new TypeInfo(schema)
  visit(
    tree,
    visitWithTypeInfo(types, {
      Argument(node) {
        const definition = types.getArgument()
        if (definition) args.push({ node, definition })
      },
    }),
  )
  return args
}

/** Whether the leaves that the lexer has found, which knows less of GraphQL's syntax, are those of the arguments. Only then may others replace them. */
export function haveLeaves(args: DocumentArguments, leaves: readonly Leaf[]): boolean {
  const nodes: LeafNode[] = []
  const collect = (leaf: LeafNode) => {
    nodes.push(leaf)
    return leaf
  }
  for (const { node } of args) mapLeaves(node.value, collect)
  return (
    nodes.length === leaves.length &&
    nodes.every(({ loc }, index) => loc?.start === leaves[index]?.start && loc?.end === leaves[index]?.end)
  )
}

/** The values of a document's arguments in one request: literals, which may have variables in them. */
export class ArgumentValues {
  readonly #args: DocumentArguments
  /** Null: the values that stand in the document. */
  readonly #replaced: ReadonlyMap<ArgumentNode, ValueNode> | null

  /** @param leaves of another document of the same shape, whose values these are; absent: the document's own values */
  constructor(args: DocumentArguments, leaves?: readonly Leaf[]) {
    this.#args = args
    this.#replaced = leaves ? replaceLeaves(args, leaves) : null
  }

  /** @param node of an argument of the document */
  of(node: ArgumentNode): ValueNode {
    return this.#replaced?.get(node) ?? node.value
  }

  /** Whether they have the types of the arguments. */
  areValid(): boolean {
    let areValid = true
    for (const { node, definition } of this.#args)
      validateInputLiteral(this.of(node), definition.type, () => (areValid = false))
    return areValid
  }

  /**
   * What resolvers receive, without the arguments that are absent and have no default.
   * @returns null: one has no value, but may not simply be absent
   */
  coerce(variables: VariableValues): ReadonlyMap<ArgumentNode, unknown> | null {
    const values = new Map<ArgumentNode, unknown>()
    for (const argument of this.#args) {
      const { node, definition } = argument
      const value = coerceInputLiteral(this.of(node), definition.type, variables)
      if (value !== undefined) values.set(node, value)
      else if (!isAbsent(argument, variables)) return null
    }
    return values
  }

  /** @returns the document with these values; their positions are those in its own text */
  putInto(tree: DocumentNode): DocumentNode {
    if (!this.#replaced) return tree
    return visit(tree, { Argument: (node) => ({ ...node, value: this.of(node) }) })
  }
}

function replaceLeaves(
  args: DocumentArguments,
  leaves: readonly Leaf[],
): ReadonlyMap<ArgumentNode, ValueNode> {
  const rest = leaves.values()
  const replace = (leaf: LeafNode): LeafNode => {
    const { value: other } = rest.next()
    return other ? { ...other.node, loc: leaf.loc } : leaf
  }
  return new Map(args.map(({ node }) => [node, mapLeaves(node.value, replace)]))
}

/** Calls a function for each leaf of a value, in the order of the text. @returns the value with its results in their place */
function mapLeaves(value: ValueNode, map: (leaf: LeafNode) => LeafNode): ValueNode {
  switch (value.kind) {
    case Kind.VARIABLE:
      return value
    case Kind.LIST:
      return { ...value, values: value.values.map((item) => mapLeaves(item, map)) }
    case Kind.OBJECT:
      return {
        ...value,
        fields: value.fields.map((field) => ({ ...field, value: mapLeaves(field.value, map) })),
      }
    default:
      return map(value)
  }
}

/** Whether an argument is absent, since its variable has no value, and may be, without a default. */
function isAbsent({ node: { value }, definition }: DocumentArgument, { coerced }: VariableValues): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Pothos sets this one
  const hasDefault = definition.default !== undefined || definition.defaultValue !== undefined
  return (
    value.kind === Kind.VARIABLE &&
    !Object.hasOwn(coerced, value.name.value) &&
    !hasDefault &&
    !isNonNullType(definition.type)
  )
}
