import {
  type DocumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { MAX_PROBLEMS } from '../../base/service-error.ts'
import type { CompileWithArguments } from '../../workarounds/graphql-jit.ts'
import { RequestErrors } from '../errors/request-errors.ts'
import { limitNames, limitSizes } from '../limits/document-limits.ts'
import { measureOperations, type OperationSizes } from '../limits/document-size.ts'
import { type Fragments, mapFragments } from '../limits/fragments.ts'
import { CostPlanner, type OperationCost } from '../limits/query-cost.ts'
import type { GraphqlSettings } from '../request/graphql-settings.ts'
import { type DocumentArguments, listArguments } from './document-arguments.ts'
import type { DocumentSource } from './document-source.ts'
import { Program } from './program.ts'
import { findSharedShape } from './shared-shape.ts'

export interface PreparedOperation {
  readonly node: OperationDefinitionNode
  /** The names of the fields that it selects at its root, for the log. */
  readonly rootFields: readonly string[]
  readonly cost: OperationCost
}

/** A valid document, and what is known of it from its text. */
export interface PreparedDocument {
  readonly source: DocumentSource
  readonly tree: DocumentNode
  readonly operations: readonly PreparedOperation[]
  readonly arguments: DocumentArguments
  /** The shape if it stands for all documents of it; null: it stands only for itself. */
  readonly sharedShape: string | null
  readonly program: Program
}

/** Parses, validates and measures a document, which takes long. @throws RequestErrors that say what is wrong with it */
export function prepareDocument(
  source: DocumentSource,
  settings: GraphqlSettings,
  compile: CompileWithArguments,
): PreparedDocument {
  try {
    return prepare(source, settings, compile)
  } catch (error) {
    // What the parser throws.
    if (error instanceof GraphQLError) throw new RequestErrors([error])
    // Each step calls itself for each level of the tree. Only if GRAPHQL_LIMITS raises `tokens`, the stack may be too small for it.
    if (error instanceof RangeError && error.message.includes('call stack'))
      throw new RequestErrors([new GraphQLError('The document is nested too deeply.')])
    throw error
  }
}

function prepare(
  source: DocumentSource,
  settings: GraphqlSettings,
  compile: CompileWithArguments,
): PreparedDocument {
  const { schema, limits } = settings
  const tree = parse(source.text, { maxLexicalTokens: limits.tokens })
  const fragments = mapFragments(tree)
  const sizes = measureOperations(tree, fragments)
  throwIfInvalid(tree, sizes, settings)
  const costs = new CostPlanner(schema, fragments)
  const args = listArguments(schema, tree)
  return {
    source,
    tree,
    operations: Array.from(sizes.keys(), (node) => ({
      node,
      rootFields: listRootFields(node, fragments),
      cost: costs.plan(node),
    })),
    arguments: args,
    sharedShape: findSharedShape(source, tree, args),
    program: new Program(tree, sizes, compile),
  }
}

/** @throws RequestErrors */
function throwIfInvalid(
  tree: DocumentNode,
  sizes: OperationSizes,
  { schema, limits, hidesNames }: GraphqlSettings,
): void {
  const rules = [...specifiedRules, limitSizes(sizes, limits), limitNames]
  const errors = validate(schema, tree, rules, { maxErrors: MAX_PROBLEMS, hideSuggestions: hidesNames })
  if (errors.length > 0) throw new RequestErrors(errors)
}

function listRootFields({ selectionSet }: OperationDefinitionNode, fragments: Fragments): string[] {
  const names = new Set<string>()
  // The list grows during the loop; a fragment is in it once.
  const selectionSets = new Set([selectionSet])
  for (const { selections } of selectionSets)
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value)
      else if (selection.kind === Kind.INLINE_FRAGMENT) selectionSets.add(selection.selectionSet)
      else {
        const fragment = fragments.get(selection.name.value)
        if (fragment) selectionSets.add(fragment.selectionSet)
      }
    }
  return [...names]
}
