/**
 * How queries and mutations are executed: as graphql-jit has compiled their document, at once, or by graphql-js, in a turn. A document is
 * compiled before graphql-js would execute it for the second time. may-be-compiled.ts says which documents are, and which never.
 */
import { execute, type ExecutionArgs, type ExecutionResult, type VariableValues } from 'graphql'
import type { Turns } from '../../base/turns.ts'
import type { Context } from '../request/context.ts'
import type { GraphqlSettings } from '../request/graphql-settings.ts'
import type { Params } from '../request/params.ts'
import { runInTurn } from '../request/run-in-turn.ts'
import type { RequestDocument } from './request-document.ts'

export interface Execution {
  params: Params
  document: RequestDocument
  /** Of the variables. */
  values: VariableValues
}

/** Compiling takes long, and so does graphql-js: both wait for a turn. */
export function executeOperation(
  execution: Execution,
  context: Context,
  service: GraphqlSettings & { turns: Turns },
): Promise<ExecutionResult> | ExecutionResult {
  const { document, values } = execution
  const { program } = document.prepared
  const runCompiled = () => program.run(document.literals, values, context)
  const executeByGraphqlJs = () => execute(toExecutionArgs(execution, context, service))
  if (program.isCompiled) return runCompiled() ?? runInTurn(executeByGraphqlJs, context, service)
  const compileOrExecute = () => {
    program.compileAtSecondRequest()
    return runCompiled() ?? executeByGraphqlJs()
  }
  return runInTurn(compileOrExecute, context, service)
}

/** What graphql-js executes, or subscribes to. It takes the variables only as they were sent, and reads them again. */
export function toExecutionArgs(
  { params, document }: Execution,
  contextValue: Context,
  { schema, hidesNames }: GraphqlSettings,
): ExecutionArgs {
  const { variables: variableValues, operationName } = params
  // Its positions are those in the text that was prepared.
  const tree = document.literals.putInto(document.prepared.tree)
  const args = { schema, contextValue, document: tree, variableValues, operationName }
  return { ...args, hideSuggestions: hidesNames }
}
