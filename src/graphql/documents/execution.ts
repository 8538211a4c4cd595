import { execute, type ExecutionArgs, type ExecutionResult, type VariableValues } from 'graphql'
import type { Turns } from '../../base/turns.ts'
import type { Context } from '../request/context.ts'
import type { Params } from '../request/params.ts'
import { runInTurn } from '../request/run-in-turn.ts'
import type { DocumentOptions } from './document-options.ts'
import type { RequestDocument } from './request-document.ts'

/** What is executed. */
export interface Execution {
  params: Params
  document: RequestDocument
  values: VariableValues
}

/** Executes a query or a mutation: at once if its document is compiled, otherwise in a turn, since compiling it takes long, and graphql-js does. */
export function executeOperation(
  execution: Execution,
  context: Context,
  service: DocumentOptions & { turns: Turns },
): Promise<ExecutionResult> | ExecutionResult {
  const { document, values } = execution
  const compileOrExecute = () => {
    document.compileAtSecondRun()
    return document.runCompiled(values, context) ?? execute(toExecutionArgs(execution, context, service))
  }
  return document.runCompiled(values, context) ?? runInTurn(compileOrExecute, context, service)
}

/** The same for graphql-js, which takes the variables only as they were sent, and reads them again. */
export function toExecutionArgs(
  { params, document }: Execution,
  contextValue: Context,
  { schema, hidesNames }: DocumentOptions,
): ExecutionArgs {
  const { variables: variableValues, operationName } = params
  const args = { schema, contextValue, document: document.toTree(), variableValues, operationName }
  return { ...args, hideSuggestions: hidesNames }
}
