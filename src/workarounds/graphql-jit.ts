/**
 * What is done because graphql-jit 0.8 does not answer everything as graphql-js does:
 *
 * - A variable in a list or an object that is not sent becomes null (https://github.com/zalando-incubator/graphql-jit/issues/91).
 * - Names that begin with `__` become names of properties, such as `__proto__`, and texts become a part of its program.
 * - It takes a null for an argument whose variable has a default, without an error.
 * - If a field with a directive is merged with an equal one, its position in the answer differs. Directives are compiled into branches,
 *   which can double with each level.
 */
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'

/** Each may double the branches of the program. */
const MAX_DIRECTIVES = 5

/**
 * Whether graphql-jit answers a query as graphql-js does. It has no variables inside lists and objects, no names that begin with `__`
 * except `__typename`, no texts or decimals, and few directives, only where fields cannot be merged.
 */
export function isAnsweredAlike(document: DocumentNode): boolean {
  let [hasOthers, directives, isMerged] = [false, 0, false]
  const reject = () => void (hasOthers = true)
  const merge = () => void (isMerged = true)
  visit(document, {
    enter(node) {
      if (node.kind === Kind.NAME && node.value.startsWith('__') && node.value !== '__typename') reject()
      if (node.kind === Kind.LIST || node.kind === Kind.OBJECT) visit(node, { Variable: reject })
      if (node.kind === Kind.STRING || node.kind === Kind.FLOAT) reject()
      if (node.kind === Kind.DIRECTIVE) directives += 1
      if (node.kind === Kind.FRAGMENT_SPREAD || node.kind === Kind.INLINE_FRAGMENT) merge()
      if (node.kind === Kind.SELECTION_SET && hasEqualKeys(node)) merge()
    },
  })
  return !hasOthers && (directives === 0 || (directives <= MAX_DIRECTIVES && !isMerged))
}

function hasEqualKeys({ selections }: SelectionSetNode): boolean {
  const fields = selections.filter((selection) => selection.kind === Kind.FIELD)
  return new Set(fields.map(({ alias, name }) => (alias ?? name).value)).size < fields.length
}

/** Whether a variable is null instead of its default, which may not fit the argument: graphql-js then words the error. */
export function hasNullForDefault(
  { variableDefinitions = [] }: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return variableDefinitions.some(
    ({ variable, defaultValue }) =>
      defaultValue && defaultValue.kind !== Kind.NULL && values[variable.name.value] === null,
  )
}

export type CompiledDocument = CompiledQuery['query']

/** Compiles a valid document; null if graphql-jit cannot. */
export function compileDocument(schema: GraphQLSchema, document: DocumentNode): CompiledDocument | null {
  const compiled = compileQuery(schema, document, undefined, {
    disablingCapturingStackErrors: true,
    // TypeScript has checked what resolvers return, except the range of an Int, which they check. Serializers take a tenth of a page's time.
    disableLeafSerialization: true,
  })
  return isCompiledQuery(compiled) ? compiled.query : null
}
