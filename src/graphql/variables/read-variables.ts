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
import { createInvalidValueError, MAX_PROBLEMS, throwIfInvalid } from '../../base/service-error.ts'
import type { GraphqlSettings } from '../request/graphql-settings.ts'
import type { Params } from '../request/params.ts'
import { RequestErrors } from '../errors/request-errors.ts'
import { printPath, type SentValue } from '../request/sent-values.ts'
import { ProblemFinder } from './variable-problems.ts'

/**
 * JSON.parse has rounded a number beyond 2^53-1, so as an ID it would name a different item.
 * @param sent all values in the variables, declared or not
 * @throws ServiceError INVALID_VALUE that names ten of those that are not exact
 */
export function throwIfRounded(sent: readonly SentValue[]): void {
  const rounded = sent.filter(({ value }) => isRounded(value)).slice(0, MAX_PROBLEMS)
  throwIfInvalid(
    rounded.map((number) => {
      const argument = printPath(number)
      const message = `${argument} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`
      return { argument, message }
    }),
  )
}

/**
 * @param variables as sent by the client
 * @throws RequestErrors INVALID_VALUE that names all problems, ten at most
 */
export function readVariables(
  { schema, hidesNames }: Pick<GraphqlSettings, 'schema' | 'hidesNames'>,
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
  // What another version of graphql-js may find, in its own words. The second error only says that there are more.
  if (problems.length === 0) throw new RequestErrors(errors.slice(0, 1))
  const cause = createInvalidValueError(problems)
  throw new RequestErrors([new GraphQLError(cause.message, { nodes, cause })])
}
