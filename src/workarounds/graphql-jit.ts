/**
 * Workarounds for graphql-jit 0.8, which does not answer everything as graphql-js does:
 *
 * - A variable in a list or an object that is not sent becomes null (https://github.com/zalando-incubator/graphql-jit/issues/91). So it
 *   compiles no values: those of arguments and defaults are made by graphql-js.
 * - Names that begin with `__` are not only names.
 * - It takes a null for an argument whose variable has a default, without an error.
 * - If a field with a directive is merged with an equal one, its position in the response differs. Each directive makes its program
 *   longer.
 * - Its errors have neither nodes nor extensions.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  type Source,
  type SourceLocation,
  visit,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'

/** @param variables by graphql-js: as resolvers receive them, without those that are absent */
export type ExecuteCompiled = (
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => Promise<ExecutionResult>

/** Compiles a valid document as it is; null if graphql-jit cannot. */
export function compileDocument(schema: GraphQLSchema, document: DocumentNode): ExecuteCompiled | null {
  const compiled = compileQuery(schema, document, undefined, {
    disablingCapturingStackErrors: true,
    // TypeScript has checked what resolvers return, except the range of an Int, which they check. Serializers would check each value again.
    disableLeafSerialization: true,
  })
  if (!isCompiledQuery(compiled)) return null
  const source = document.loc?.source
  return async (context, variables) => {
    const result = await compiled.query(undefined, context, variables)
    return withGraphqlErrors(result, source)
  }
}

/** What a program needs instead of the defaults of variables. */
export interface Program {
  execute: ExecuteCompiled
  /** The variables that must not be null, since they have a default: a null is an error that only graphql-js reports. */
  notNull: readonly string[]
}

/** Compiles a document of a client for which `isSafeToCompile`, whose arguments are variables; null if graphql-jit cannot. */
export function compileClientDocument(schema: GraphQLSchema, document: DocumentNode): Program | null {
  const notNull: string[] = []
  const withoutDefaults = visit(document, {
    VariableDefinition(definition) {
      const { defaultValue, variable } = definition
      if (defaultValue && defaultValue.kind !== Kind.NULL) notNull.push(variable.name.value)
      return { ...definition, defaultValue: undefined }
    },
  })
  const execute = compileDocument(schema, withoutDefaults)
  return execute && { execute, notNull }
}

/** Of a document that is compiled. */
const MAX_DIRECTIVES = 5

/** Whether there are no names that begin with `__` except `__typename`, and few directives, only where fields cannot be merged. */
export function isSafeToCompile(document: DocumentNode): boolean {
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

function withGraphqlErrors(result: ExecutionResult, source: Source | undefined): ExecutionResult {
  if (!result.errors) return result
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- it sets only this one
  const errors = result.errors.map(({ message, locations, path, originalError: cause }) => {
    const positions = source && locations?.map((location) => toPosition(source, location))
    return new GraphQLError(message, { source, positions, path, cause })
  })
  return { ...result, errors }
}

function toPosition({ body }: Source, { line, column }: SourceLocation): number {
  const ends = Array.from(body.matchAll(/\r\n|[\n\r]/g), ({ 0: { length }, index }) => index + length)
  return (ends[line - 2] ?? 0) + column - 1
}
