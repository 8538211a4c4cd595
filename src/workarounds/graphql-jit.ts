/**
 * Workarounds for graphql-jit 0.8, which does not answer everything as graphql-js does:
 *
 * - A variable in a list or an object that is not sent becomes null (https://github.com/zalando-incubator/graphql-jit/issues/91), and
 *   texts become a part of its program. So it compiles no values: an argument is a variable, whose value graphql-js makes.
 * - Names that begin with `__` become names of properties, such as `__proto__`.
 * - It takes a null for an argument whose variable has a default, without an error.
 * - If a field with a directive is merged with an equal one, its position in the response differs. Directives are compiled into branches,
 *   which can double with each level.
 * - Its errors have neither nodes nor extensions.
 */
import {
  coerceInputLiteral,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  parseType,
  type SelectionSetNode,
  type Source,
  type SourceLocation,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
  type VariableValues,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'

/** @param variables as in JSON, without those that are absent */
export type ExecuteCompiled = (
  context: unknown,
  variables: Record<string, unknown>,
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

interface CompiledDocument {
  /** @param values by graphql-js @returns what to execute it with; null if a value is not valid, which graphql-js has to say */
  toVariables: (values: VariableValues) => Record<string, unknown> | null
  execute: ExecuteCompiled
}

/** Compiles a valid document of a client, with one operation; null if graphql-jit would not answer it as graphql-js does. */
export function compileClientDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
): CompiledDocument | null {
  if (!isSafeToCompile(document)) return null
  const { document: hoisted, values, withDefault } = hoistValues(schema, document)
  const execute = compileDocument(schema, hoisted)
  if (!execute) return null
  return {
    execute,
    toVariables(input) {
      if (withDefault.some((name) => input.coerced[name] === null)) return null
      // A variable may have the name of a method of objects.
      const variables: Record<string, unknown> = { __proto__: null, ...input.coerced }
      for (const { name, coerce } of values) {
        const value = coerce(input)
        if (value === undefined) return null
        variables[name] = value
      }
      return variables
    },
  }
}

/** Each may double the branches of the program. */
const MAX_DIRECTIVES = 5

/** Whether there are no names that begin with `__` except `__typename`, and few directives, only where fields cannot be merged. */
function isSafeToCompile(document: DocumentNode): boolean {
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

/** The value of an argument, which has become a variable. */
interface HoistedValue {
  name: string
  definition: VariableDefinitionNode
  /** @returns the value as resolvers receive it; undefined if it is not valid */
  coerce: (variables: VariableValues) => unknown
}

/**
 * Takes all values out of a document: those of arguments, unless they are one variable, and defaults, which graphql-js has set. Those of
 * directives are Booleans.
 */
function hoistValues(schema: GraphQLSchema, document: DocumentNode) {
  const values: HoistedValue[] = []
  const withDefault: string[] = []
  const types = new TypeInfo(schema)
  const hoisted = visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition(definition) {
        const { defaultValue, variable } = definition
        if (defaultValue && defaultValue.kind !== Kind.NULL) withDefault.push(variable.name.value)
        return { ...definition, defaultValue: undefined }
      },
      Directive: () => false,
      Argument(argument) {
        const type = types.getInputType()
        if (argument.value.kind === Kind.VARIABLE || !type) return undefined
        // No document that is compiled has such a name.
        const name = `__${values.length}`
        const variable: VariableNode = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } }
        const definition = {
          kind: Kind.VARIABLE_DEFINITION,
          variable,
          type: parseType(String(type)),
        } as const
        values.push({ name, definition, coerce: coerceOnce(argument.value, type) })
        return { ...argument, value: variable }
      },
    }),
  )
  const definitions = values.map(({ definition }) => definition)
  const withDefinitions = visit(hoisted, {
    OperationDefinition: ({ variableDefinitions = [], ...operation }) => ({
      ...operation,
      variableDefinitions: [...variableDefinitions, ...definitions],
    }),
  })
  return { document: withDefinitions, values, withDefault }
}

/** The value of a literal, which is made once, unless there are variables in it. */
function coerceOnce(node: ValueNode, type: GraphQLInputType): HoistedValue['coerce'] {
  const inside: VariableNode[] = []
  visit(node, { Variable: (variable) => void inside.push(variable) })
  if (inside.length > 0) return (variables) => coerceInputLiteral(node, type, variables)
  const value = coerceInputLiteral(node, type)
  return () => value
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
