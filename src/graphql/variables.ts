/** The values of the variables of an operation, coerced by graphql-js, or the path to each that is not valid. */
import {
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
  validateInputValue,
  type VariableValues,
} from 'graphql'
import { ServiceError } from '../base/service-error.ts'
import { RequestErrors } from './masked-errors.ts'

/** The maximum number of errors that are reported: each takes time, and prints what is wrong. */
const MAX_ERRORS = 10

/** @param variables as sent by the client @throws RequestErrors, as graphql-js words them */
export function readVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
  hideSuggestions = false,
): VariableValues {
  const { variableDefinitions = [] } = operation
  const { variableValues } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 })
  if (variableValues) return variableValues
  throw new RequestErrors(findInvalid(schema, operation, variables, hideSuggestions))
}

function findInvalid(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  hideSuggestions: boolean,
): GraphQLError[] {
  const errors: GraphQLError[] = []
  const enough = new Error('Enough problems are known')
  try {
    for (const definition of variableDefinitions) {
      const { value: name } = definition.variable.name
      const type = typeFromAST(schema, definition.type)
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined
      if (!isInputType(type) || (value === undefined && definition.defaultValue)) continue
      const report: Parameters<typeof validateInputValue>[2] = (problem, keys) => {
        const path = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
        const message = `Variable "$${name}" has invalid value${path && ` at ${path}`}: ${problem.message}`
        const problems = [{ argument: name + path, message }]
        const cause = new ServiceError('INVALID_VALUE', message, { problems })
        errors.push(new GraphQLError(message, { nodes: definition, cause }))
        if (errors.length === MAX_ERRORS) throw enough
      }
      validateInputValue(value, type, report, hideSuggestions)
    }
  } catch (error) {
    if (error !== enough) throw error
  }
  return errors
}
