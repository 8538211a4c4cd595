/** How a request to the GraphQL API is answered: `answer` has the steps, in their order. */
import { hash } from 'node:crypto'
import {
  execute,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  subscribe,
  type VariableValues,
} from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import type { ClientResponse } from '../base/open-cost.ts'
import { ServiceError } from '../base/service-error.ts'
import type { Turns } from '../base/turns.ts'
import type { DocumentLimits } from '../config/variable-parsers.ts'
import type { RequestOutcome } from '../http/request-record.ts'
import { type ApiKey, requireValid, requireWriteScope } from '../keys/api-key.ts'
import { traceOperation } from '../telemetry/spans.ts'
import { throwIfBeyond, throwIfLongSubscription } from './documents/document-limits.ts'
import type { Documents } from './documents/documents.ts'
import { chooseFormat } from './live/event-streams.ts'
import { maskErrors, RequestErrors, toGraphqlErrors } from './masked-errors.ts'
import { notAcceptable } from './media-types.ts'
import { checkVariables, type HttpRequest, type Params, readParams } from './params.ts'
import type { PreparedOperation } from './documents/prepared-document.ts'
import type { RequestDocument } from './documents/request-document.ts'
import { type Context, forSubscribers } from './context.ts'
import type { Subscriber, Subscriptions } from './live/subscriptions.ts'
import { findDocument, type TrustedDocumentsOptions } from './documents/trusted-documents.ts'
import { readVariables } from './variables.ts'

/** What all requests share. */
export interface GraphqlService {
  schema: GraphQLSchema
  limits: DocumentLimits
  trusted: TrustedDocumentsOptions
  documents: Documents
  subscriptions: Subscriptions
  turns: Turns
}

interface GraphqlRequest extends HttpRequest {
  /** The media types that the client accepts, best first. */
  accepted: readonly string[]
}

/**
 * @returns what to send; for a subscription, who gets its events
 * @throws ServiceError if the parameters are malformed, or name no document
 */
export async function answer(
  request: GraphqlRequest,
  context: Context,
  service: GraphqlService,
): Promise<ExecutionResult | Subscriber> {
  const params = readParams(request)
  const text = findDocument(params, service.trusted)
  const { apiKey, outcome } = context
  let document: RequestDocument | null = null
  try {
    checkVariables(params)
    document = service.documents.find(text) ?? (await prepare(text, context, service))
    const operation = document.selectOperation(params.operationName)
    describeOperation(outcome, operation)
    throwIfNotAllowed(operation.node, request.method, apiKey)
    outcome.queryCost = document.costOf(operation, params.variables)
    throwIfBeyond(service.limits, 'cost', outcome.queryCost)
    const values = readVariables(service.schema, operation.node, params.variables, service.trusted.only)
    const execution = { params, document, values }
    if (operation.node.operation === OperationTypeNode.SUBSCRIPTION)
      return await joinGroup(execution, request.accepted, context, service)
    context.openCost.hold(apiKey.name, outcome.queryCost, context.response)
    const result = await traceOperation(operation.node, () => run(execution, context, service))
    return maskErrors(result, context, { document })
  } catch (error) {
    return maskErrors({ errors: toGraphqlErrors(error) }, context, { document })
  }
}

/** What is executed. */
interface Execution {
  params: Params
  document: RequestDocument
  values: VariableValues
}

/** Records what the log says of a request. */
function describeOperation(outcome: RequestOutcome, { node, rootFields }: PreparedOperation): void {
  outcome.operation = node.name?.value ?? null
  outcome.operationType = node.operation
  outcome.rootFields = rootFields
}

/** In a turn, since it takes long. */
function prepare(text: string, { apiKey, response }: Context, { documents, turns }: GraphqlService) {
  const prepare = () => documents.find(text) ?? documents.prepare(text)
  return turns.run(apiKey.name, prepare, () => response.destroyed)
}

/** @throws GraphQLError for a mutation by GET; ServiceError FORBIDDEN for one with a read-only key */
function throwIfNotAllowed({ operation }: OperationDefinitionNode, method: string, apiKey: ApiKey): void {
  if (operation !== OperationTypeNode.MUTATION) return
  if (method !== 'POST') {
    const message = 'Can only perform a mutation operation from a POST request.'
    const cause = new ServiceError('METHOD_NOT_ALLOWED', message)
    throw new GraphQLError(message, { cause, extensions: { http: { headers: { Allow: 'POST' } } } })
  }
  requireWriteScope(apiKey)
}

/** Runs a query or a mutation: at once if its document is compiled, otherwise in a turn. */
function run(
  execution: Execution,
  context: Context,
  service: GraphqlService,
): Promise<ExecutionResult> | ExecutionResult {
  const { document, values } = execution
  const { apiKey, response } = context
  const compileOrExecute = () => {
    document.prepared.countRun()
    return document.runCompiled(values, context) ?? executeByGraphqlJs(execution, context, service)
  }
  return (
    document.runCompiled(values, context) ??
    service.turns.run(apiKey.name, compileOrExecute, () => response.destroyed)
  )
}

function executeByGraphqlJs(
  { params, document }: Execution,
  contextValue: Context,
  { schema, trusted }: GraphqlService,
): Promise<ExecutionResult> | ExecutionResult {
  return execute({
    ...{ schema, contextValue, document: document.toTree() },
    variableValues: params.variables,
    operationName: params.operationName,
    hideSuggestions: trusted.only,
  })
}

/**
 * Joins the group of the subscriptions that are equal to this one, and have the same rights.
 * @throws RequestErrors, ServiceError if it is refused
 */
async function joinGroup(
  { params, document }: Execution,
  accepted: readonly string[],
  context: Context,
  { schema, subscriptions, trusted, turns }: GraphqlService,
): Promise<Subscriber> {
  const { name, scope } = context.apiKey
  const { text, prepared } = document
  const { operationName, variables } = params
  throwIfLongSubscription(
    JSON.stringify({ ...params, query: text }).length,
    prepared.document.tokenCount ?? 0,
  )
  const format = chooseFormat(accepted)
  if (!format) throw notAcceptable()
  const open = async (subscribers: ClientResponse) => {
    const contextValue = forSubscribers(context, subscribers)
    const args = { schema, contextValue, variableValues: variables, operationName }
    const results = await turns.run(name, () =>
      subscribe({ ...args, document: document.toTree(), hideSuggestions: trusted.only }),
    )
    if (isAsyncIterable(results)) return toTexts(results, document, contextValue)
    throw new RequestErrors(results.errors ?? [])
  }
  const id = hash('sha256', JSON.stringify([name, scope, format.contentType, text, operationName, variables]))
  const subscriber = await subscriptions.join({ id, clientName: name, format, open })
  // If the key ended meanwhile, nothing ended the subscription, which did not exist yet.
  if (!context.apiKey.isValid) subscriber.leave()
  requireValid(context.apiKey)
  return subscriber
}

/** The results of events as JSON. A subscription that fails ends with the error. */
async function* toTexts(
  results: AsyncIterable<ExecutionResult>,
  document: RequestDocument,
  context: Context,
): AsyncGenerator<string> {
  const toText = (result: ExecutionResult) =>
    JSON.stringify(maskErrors(result, context, { document, isEvent: true }))
  try {
    for await (const result of results) yield toText(result)
  } catch (error) {
    yield toText({ errors: [new GraphQLError('A subscription failed', { cause: error })] })
  }
}
