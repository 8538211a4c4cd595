/** The variables of a request: the values that graphql-js makes of them, or what is wrong with each of them. */
import {
  getVariableValues,
  GraphQLError,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableValues,
} from 'graphql'
import { isRounded } from '../../base/int64.ts'
import { MAX_PROBLEMS, ServiceError } from '../../base/service-error.ts'
import type { DocumentOptions } from '../documents/document-options.ts'
import type { Params } from '../params.ts'
import { RequestErrors } from '../errors/request-errors.ts'
import { listValues, printPath } from './sent-values.ts'
import { ProblemFinder } from './variable-problems.ts'

/**
 * What holds for the variables of any document. JSON.parse has rounded a number beyond 2^53-1, so as an ID it would name a different item.
 * @throws ServiceError INVALID_REQUEST if they have too many values, INVALID_VALUE for a number that is not exact
 */
export function throwIfRounded(variables: Params['variables']): void {
  const rounded = listValues('variables', variables).filter(({ value }) => isRounded(value))
  if (rounded.length === 0) return
  const problems = rounded.slice(0, MAX_PROBLEMS).map((sent) => {
    const argument = printPath(sent)
    const message = `${argument} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
    return { argument, message }
  })
  const message = problems.map(({ message }) => message).join(' ')
  throw new ServiceError('INVALID_VALUE', message, { problems })
}

/**
 * @param variables as sent by the client
 * @throws RequestErrors INVALID_VALUE that names all problems, ten at most
 */
export function readVariables(
  { schema, hidesNames }: Pick<DocumentOptions, 'schema' | 'hidesNames'>,
  operation: OperationDefinitionNode,
  variables: Params['variables'] = {},
): VariableValues {
  const { variableDefinitions = [] } = operation
  const { variableValues, errors } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: 1,
    hideSuggestions: hidesNames,
  })
  if (variableValues) return variableValues
  const finder = new ProblemFinder(hidesNames)
  // The definitions of the variables that have problems.
  const nodes = variableDefinitions.filter(({ variable, type: typeNode, defaultValue }) => {
    const { value: key } = variable.name
    const type = typeFromAST(schema, typeNode)
    const value = Object.hasOwn(variables, key) ? variables[key] : undefined
    if (!isInputType(type) || (value === undefined && defaultValue)) return false
    return finder.visit(type, { key, value, parent: null })
  })
  const { problems } = finder
  if (problems.length === 0) throw new RequestErrors(errors)
  const message = problems.map(({ message }) => message).join(' ')
  const cause = new ServiceError('INVALID_VALUE', message, { problems })
  throw new RequestErrors([new GraphQLError(message, { nodes, cause })])
}
