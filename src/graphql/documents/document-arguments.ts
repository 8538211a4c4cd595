/**
 * The arguments of a document, and the values that they have in a request. Documents of one shape differ only in the leaves of these values, so
 * a prepared document is executed with the leaves of another one.
 *
 * Leaves have no names: the first leaf of one text stands for the first of the other, and so on. Two functions rely on that: `mapLeaves`, which
 * goes over them in the order of the text, and `DocumentSource.movePosition`. Everywhere else, an argument is known by its node.
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
import { requireNotNull } from '../../base/not-null.ts'
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
        args.push({ node, definition: requireNotNull(types.getArgument(), 'The definition of an argument') })
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

/** The values of a document's arguments in one request, as literals, which may have variables in them. */
export class ArgumentLiterals {
  readonly #args: DocumentArguments
  /** Null: those that stand in the document. */
  readonly #replaced: ReadonlyMap<ArgumentNode, ValueNode> | null

  /** @param leaves of another document of the same shape, whose literals these are; absent: the document's own */
  constructor(args: DocumentArguments, leaves?: readonly Leaf[]) {
    this.#args = args
    this.#replaced = leaves ? replaceLeaves(args, leaves) : null
  }

  /** @param node of an argument of the document */
  of(node: ArgumentNode): ValueNode {
    // Its own value, where one of another document is wanted, would be that of another client.
    return this.#replaced
      ? requireNotNull(this.#replaced.get(node), 'The literal of an argument')
      : node.value
  }

  /** Whether each has the type of its argument. */
  areValid(): boolean {
    let areValid = true
    for (const { node, definition } of this.#args)
      validateInputLiteral(this.of(node), definition.type, () => (areValid = false))
    return areValid
  }

  /**
   * What resolvers receive, without the arguments that are absent.
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

  /** @returns the document with these literals, which have no positions if they are those of another one */
  putInto(tree: DocumentNode): DocumentNode {
    if (!this.#replaced) return tree
    return visit(tree, { Argument: (node) => ({ ...node, value: this.of(node) }) })
  }
}

/** @throws Error if they are more or fewer: then an argument would have the value of another request */
function replaceLeaves(
  args: DocumentArguments,
  leaves: readonly Leaf[],
): ReadonlyMap<ArgumentNode, ValueNode> {
  let count = 0
  const replace = (leaf: LeafNode) => leaves[count++]?.node ?? leaf
  const literals = new Map(args.map(({ node }) => [node, mapLeaves(node.value, replace)]))
  if (count !== leaves.length) throw new Error('The leaves are those of another shape')
  return literals
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

/** Whether an argument is absent, since its variable has no value, and may be. Resolvers then receive its default, if it has one. */
function isAbsent({ node: { value }, definition }: DocumentArgument, { coerced }: VariableValues): boolean {
  return (
    value.kind === Kind.VARIABLE &&
    !Object.hasOwn(coerced, value.name.value) &&
    !isNonNullType(definition.type)
  )
}
