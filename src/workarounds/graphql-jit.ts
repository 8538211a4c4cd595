/**
 * Workarounds for graphql-jit 0.8, which does not answer everything as graphql-js does. Each fault has a test of the same words in
 * test/unit/workarounds/graphql-jit.test.ts; it fails when the fault has been mended.
 *
 * `createCompiler`: graphql-js makes the arguments of clients' documents, and each is passed on as it is, because of three faults:
 * - A variable that is not sent is null inside an object or a list (https://github.com/zalando-incubator/graphql-jit/issues/91).
 * - A null instead of the default of a variable is no error.
 * - It coerces a value that graphql-js has coerced.
 *
 * `withGraphqlErrors`:
 * - Its errors have neither nodes nor extensions.
 *
 * Documents that graphql/documents/may-be-compiled.ts leaves to graphql-js:
 * - A field with a directive that is selected twice may have another position in the response.
 * - A response key that begins with `__`, such as `__proto__`, may have another position, too.
 *
 * What our resolvers and schema avoid:
 * - In a list of promises, one that is rejected late adds a null at the end. Resolvers return promises of lists.
 * - Of several errors below a field that becomes null for them, it reports all, graphql-js the first. What must not be null and can fail is
 *   below fields that must not be null, up to the root: test/unit/server/schema.test.ts.
 * - It knows no default of an argument that is a literal, as in a schema made of SDL (findings/graphql-jit-defaults.sh). Those of Pothos are
 *   values (test/unit/server/schema.test.ts).
 * - It cannot compile a literal whose value is a bigint. Those of Int64 are digits (graphql/pothos/builder.ts).
 */
import {
  type ArgumentNode,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLSkipDirective,
  Kind,
  parseType,
  type Source,
  type SourceLocation,
  type VariableDefinitionNode,
  type VariableNode,
  visit,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'

/** @param variables as sent */
type ExecuteCompiled = (
  context: unknown,
  variables: Readonly<Record<string, unknown>>,
) => Promise<ExecutionResult>

/**
 * Compiles a valid document as it is; null if graphql-jit cannot. Clients' documents need `createCompiler`. Our own operations do not: they
 * must have no optional variable inside an object or a list, where it would be null if it is absent.
 */
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

/** @param values of arguments, as resolvers receive them; one that is not in it is absent, where it may be, or has its default */
export type ExecuteWithArguments = (
  context: unknown,
  values: ReadonlyMap<ArgumentNode, unknown>,
) => Promise<ExecutionResult>

/** @returns takes the values of all arguments of the document, by their nodes; null if graphql-jit cannot compile it */
export type CompileWithArguments = (document: DocumentNode) => ExecuteWithArguments | null

/** The type of an argument's value, which is passed on as it is. */
const VALUE = new GraphQLScalarType({ name: '__Value' })

/** @returns compiles documents of one operation, whose arguments each execution provides */
export function createCompiler(schema: GraphQLSchema): CompileWithArguments {
  const config = schema.toConfig()
  const withValues = new GraphQLSchema({ ...config, types: [...config.types, VALUE], assumeValid: true })
  return (document) => {
    const names = nameArguments(document)
    const execute = compileDocument(withValues, hoistArguments(document, names))
    if (!execute) return null
    return (context, values) => {
      const variables: Record<string, unknown> = {}
      for (const [node, value] of values) {
        const name = names.get(node)
        if (name !== undefined) variables[name] = value
      }
      return execute(context, variables)
    }
  }
}

/** The variables that arguments become. */
type ArgumentNames = ReadonlyMap<ArgumentNode, string>

function nameArguments(document: DocumentNode): ArgumentNames {
  const names = new Map<ArgumentNode, string>()
  visit(document, { Argument: (node) => void names.set(node, `argument${names.size}`) })
  return names
}

/** Replaces the values of all arguments by variables, and those of the document by these. */
function hoistArguments(document: DocumentNode, names: ArgumentNames): DocumentNode {
  const conditions = findConditions(document)
  const variableDefinitions = Array.from(names, ([node, name]): VariableDefinitionNode => ({
    kind: Kind.VARIABLE_DEFINITION,
    variable: toVariable(name),
    // graphql-jit looks at the types of conditions, not of others.
    type: parseType(conditions.has(node) ? 'Boolean!' : VALUE.name),
  }))
  return visit(document, {
    Argument(node) {
      const name = names.get(node)
      return name === undefined ? undefined : { ...node, value: toVariable(name) }
    },
    OperationDefinition: { leave: (operation) => ({ ...operation, variableDefinitions }) },
  })
}

/** The arguments of `@skip` and `@include`. */
function findConditions(document: DocumentNode): ReadonlySet<ArgumentNode> {
  const conditions = new Set<ArgumentNode>()
  visit(document, {
    Directive({ name, arguments: args = [] }) {
      if (name.value === GraphQLSkipDirective.name || name.value === GraphQLIncludeDirective.name)
        for (const node of args) conditions.add(node)
    },
  })
  return conditions
}

function toVariable(name: string): VariableNode {
  return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } }
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
