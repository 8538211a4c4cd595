import type { ExecutionArgs, VariableValues } from 'graphql'
import type { Turns } from '../base/turns.ts'
import type { Context } from './context.ts'
import type { Documents } from './documents/documents.ts'
import type { DocumentOptions } from './documents/document-options.ts'
import type { RequestDocument } from './documents/request-document.ts'
import type { TrustedDocumentsOptions } from './documents/trusted-documents.ts'
import type { Subscriptions } from './live/subscriptions.ts'
import type { Params } from './params.ts'

/** What all requests share. */
export interface GraphqlService extends DocumentOptions {
  trusted: TrustedDocumentsOptions
  documents: Documents
  subscriptions: Subscriptions
  turns: Turns
}

/** Does work that takes long in a turn of the event loop. @throws ServiceError OVERLOADED, also if the client has gone meanwhile */
export function runInTurn<Result>(
  work: () => Result | Promise<Result>,
  { apiKey, response }: Context,
  { turns }: Pick<GraphqlService, 'turns'>,
): Promise<Result> {
  return turns.run(apiKey.name, work, () => response.destroyed)
}

/** What is executed. */
export interface Execution {
  params: Params
  document: RequestDocument
  values: VariableValues
}

/** The same for graphql-js. */
export function toExecutionArgs(
  { params, document }: Execution,
  contextValue: Context,
  { schema, hidesNames }: GraphqlService,
): ExecutionArgs {
  const { variables: variableValues, operationName } = params
  const args = { schema, contextValue, document: document.toTree(), variableValues, operationName }
  return { ...args, hideSuggestions: hidesNames }
}
