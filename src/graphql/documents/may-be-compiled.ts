/** Which documents may be compiled. When they are, says program.ts. */
import {
  BREAK,
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import type { OperationSizes } from '../limits/document-size.ts'

/** The maximum number of fields of a compiled document, with fragments expanded: compiling takes time for each of them. */
const MAX_FIELDS = 500
/** The maximum number of directives: each makes the compiled document longer. */
const MAX_DIRECTIVES = 5

/**
 * Whether a valid document may be compiled: one query or mutation, which graphql-jit answers as graphql-js does (see
 * workarounds/graphql-jit.ts).
 * @param sizes of all its operations
 */
export function mayBeCompiled(document: DocumentNode, sizes: OperationSizes): boolean {
  const [first, ...others] = sizes
  if (!first || others.length > 0) return false
  const [operation, { fields, directives }] = first
  if (!isQueryOrOneMutation(operation)) return false
  if (fields > MAX_FIELDS || directives > MAX_DIRECTIVES) return false
  // graphql-jit may put a field with a directive that is selected twice into another position.
  if (directives > 0 && mayMergeFields(operation.selectionSet)) return false
  return !hasReservedName(document)
}

/** A mutation has one field, so that nothing depends on the order of several. */
function isQueryOrOneMutation({ operation, selectionSet: { selections } }: OperationDefinitionNode): boolean {
  if (operation === OperationTypeNode.QUERY) return true
  return (
    operation === OperationTypeNode.MUTATION && selections.length === 1 && selections[0]?.kind === Kind.FIELD
  )
}

/** Whether there are fragments, or several fields of one response key. */
function mayMergeFields({ selections }: SelectionSetNode): boolean {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  const keys = new Set(fields.map(({ alias, name }) => (alias ?? name).value))
  if (keys.size < selections.length) return true
  return fields.some(({ selectionSet }) => selectionSet && mayMergeFields(selectionSet))
}

/** Whether a name begins with `__`, except `__typename`. */
function hasReservedName(document: DocumentNode): boolean {
  let isFound = false
  visit(document, {
    Name({ value }) {
      isFound = value.startsWith('__') && value !== '__typename'
      return isFound ? BREAK : undefined
    },
  })
  return isFound
}
