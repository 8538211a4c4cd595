/** What is known of a document: whether it is valid and, if it may be compiled, its template. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import type { DocumentLimits } from '../config/variable-parsers.ts'
import { isSafeToCompile, type Program } from '../workarounds/graphql-jit.ts'
import { limitNames, limitShape } from './document-limits.ts'
import { type HoistedArgument, hoistArguments, isOneShape } from './document-shape.ts'
import { measureOperation } from './query-cost.ts'

/** The maximum number of errors that are reported: each takes time, and prints what is wrong. */
const MAX_ERRORS = 10
/** The maximum number of fields of a compiled document, with fragments expanded: compiling takes time for each of them. */
const MAX_FIELDS = 500

export interface PreparedDocument {
  schema: GraphQLSchema
  /** What is wrong with it; empty: it is valid. */
  errors: readonly GraphQLError[]
  /** Null if it cannot be parsed. */
  document: DocumentNode | null
  /** The names of the fields that each operation selects at its root, for the log. */
  rootFields: ReadonlyMap<OperationDefinitionNode, readonly string[]>
  /** Null if it must not be compiled. */
  template: Template | null
}

/** A document with one query or mutation, whose arguments have become variables. */
interface Template {
  hoisted: DocumentNode
  operation: OperationDefinitionNode
  hoistedArguments: readonly HoistedArgument[]
  /** Whether all documents of its shape are valid if their values are. */
  isOneShape: boolean
  hasRun: boolean
  /** Absent until the document comes again, since compiling takes longer than executing once; null if graphql-jit cannot. */
  program?: Program | null
}

/**
 * Parses and validates a document, which takes long.
 * @param hideSuggestions whether to leave out "Did you mean" from errors, which reveals names in the schema
 */
export function prepareDocument(
  schema: GraphQLSchema,
  text: string,
  limits: DocumentLimits,
  hideSuggestions: boolean,
): PreparedDocument {
  let document: DocumentNode
  try {
    document = parse(text, { maxLexicalTokens: limits.tokens })
  } catch (error) {
    const errors = [toSyntaxError(error)]
    return { schema, errors, document: null, rootFields: new Map(), template: null }
  }
  const rules = [...specifiedRules, limitShape(limits), limitNames]
  const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS, hideSuggestions })
  const template = errors.length > 0 ? null : toTemplate(schema, document)
  return { schema, errors, document, rootFields: listRootFields(document), template }
}

function listRootFields({ definitions }: DocumentNode): PreparedDocument['rootFields'] {
  const listed = new Map<OperationDefinitionNode, readonly string[]>()
  for (const operation of definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue
    const names = new Set<string>()
    // The list grows during the loop; a fragment is in it once.
    const selectionSets = new Set([operation.selectionSet])
    for (const { selections } of selectionSets)
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) names.add(selection.name.value)
        else if (selection.kind === Kind.INLINE_FRAGMENT) selectionSets.add(selection.selectionSet)
        else
          for (const node of definitions)
            if (node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === selection.name.value)
              selectionSets.add(node.selectionSet)
      }
    listed.set(operation, [...names])
  }
  return listed
}

function toSyntaxError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error
  // What the parser raises if it is nested too deeply.
  if (error instanceof RangeError) return new GraphQLError('The document is nested too deeply.')
  throw error
}

/** @returns null if the document must not be compiled */
function toTemplate(schema: GraphQLSchema, document: DocumentNode): Template | null {
  const operation = findCompilable(document)
  if (!operation || !isSafeToCompile(document)) return null
  const { fields } = measureOperation({ schema, document, operation, variables: {} })
  if (fields > MAX_FIELDS) return null
  return { ...hoistArguments(schema, document), isOneShape: isOneShape(document), hasRun: false }
}

/** A mutation has one field, so that nothing depends on the order of several. */
function findCompilable({ definitions }: DocumentNode): OperationDefinitionNode | null {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [operation] = operations
  if (!operation || operations.length > 1) return null
  const { selections } = operation.selectionSet
  const isSingle = selections.length === 1 && selections[0]?.kind === Kind.FIELD
  const { QUERY, MUTATION } = OperationTypeNode
  return operation.operation === QUERY || (operation.operation === MUTATION && isSingle) ? operation : null
}
