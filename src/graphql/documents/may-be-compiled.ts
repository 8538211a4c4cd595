/** Which documents may be compiled. */
import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { sizeOf } from './document-size.ts'
import type { Fragments } from './fragments.ts'

/** The maximum number of fields of a compiled document, with fragments expanded: compiling takes time for each of them. */
const MAX_FIELDS = 500
/** The maximum number of directives: each makes the compiled document longer. */
const MAX_DIRECTIVES = 5

/** Whether a valid document may be compiled: one query or mutation, which graphql-jit answers as graphql-js does (see workarounds/graphql-jit.ts). */
export function mayBeCompiled(document: DocumentNode, fragments: Fragments): boolean {
  const [operation, ...others] = document.definitions.filter(
    (node) => node.kind === Kind.OPERATION_DEFINITION,
  )
  return (
    operation !== undefined &&
    others.length === 0 &&
    isQueryOrOneChange(operation) &&
    isSafe(document) &&
    sizeOf(operation, fragments).fields <= MAX_FIELDS
  )
}

/** A mutation has one field, so that nothing depends on the order of several. */
function isQueryOrOneChange({ operation, selectionSet: { selections } }: OperationDefinitionNode): boolean {
  if (operation === OperationTypeNode.QUERY) return true
  return (
    operation === OperationTypeNode.MUTATION && selections.length === 1 && selections[0]?.kind === Kind.FIELD
  )
}

/** Whether no names begin with `__` except `__typename`, and there are few directives, only where fields cannot be merged. */
function isSafe(document: DocumentNode): boolean {
  let [hasReserved, directives, isMerged] = [false, 0, false]
  visit(document, {
    Name: ({ value }) => void (hasReserved ||= value.startsWith('__') && value !== '__typename'),
    Directive: () => void (directives += 1),
    FragmentSpread: () => void (isMerged = true),
    InlineFragment: () => void (isMerged = true),
    SelectionSet: (node) => void (isMerged ||= hasEqualKeys(node)),
  })
  return !hasReserved && (directives === 0 || (directives <= MAX_DIRECTIVES && !isMerged))
}

function hasEqualKeys({ selections }: SelectionSetNode): boolean {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  return new Set(fields.map(({ alias, name }) => (alias ?? name).value)).size < fields.length
}
