/** Which variables of an operation are not valid, by the path to the value, before graphql-js reads them. */
import {
  type ExecutionArgs,
  getOperationAST,
  GraphQLError,
  isInputType,
  typeFromAST,
  validateInputValue,
} from 'graphql'
import { ServiceError } from '../base/service-error.ts'

/** @returns errors as graphql-js words them, at most `maxErrors` */
export function findInvalidVariables(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  { hideSuggestions, maxErrors }: { hideSuggestions: boolean; maxErrors: number },
): GraphQLError[] {
  const errors: GraphQLError[] = []
  const enough = new Error('Enough problems are known')
  try {
    for (const definition of getOperationAST(document, operationName)?.variableDefinitions ?? []) {
      const { value: name } = definition.variable.name
      const type = typeFromAST(schema, definition.type)
      const value = Object.hasOwn(variableValues ?? {}, name) ? variableValues?.[name] : undefined
      if (!isInputType(type) || (value === undefined && definition.defaultValue)) continue
      const report: Parameters<typeof validateInputValue>[2] = (problem, keys) => {
        const path = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
        const message = `Variable "$${name}" has invalid value${path && ` at ${path}`}: ${problem.message}`
        const problems = [{ argument: name + path, message }]
        const cause = new ServiceError('INVALID_VALUE', message, { problems })
        errors.push(new GraphQLError(message, { nodes: definition, cause }))
        if (errors.length === maxErrors) throw enough
      }
      validateInputValue(value, type, report, hideSuggestions)
    }
  } catch (error) {
    if (error !== enough) throw error
  }
  return errors
}
