/** How a request to the GraphQL API is answered: `answer` has the steps, in their order. */
import { type ExecutionResult, GraphQLError, type OperationDefinitionNode, OperationTypeNode } from 'graphql'
import { ServiceError } from '../base/service-error.ts'
import type { RequestOutcome } from '../http/request-record.ts'
import { type ApiKey, requireWriteScope } from '../keys/api-key.ts'
import { traceOperation } from '../telemetry/spans.ts'
import type { Context } from './request/context.ts'
import { DocumentSource } from './documents/document-source.ts'
import { executeOperation } from './documents/execution.ts'
import type { PreparedOperation } from './documents/prepared-document.ts'
import type { RequestDocument } from './documents/request-document.ts'
import { findDocumentText } from './documents/trusted-documents.ts'
import type { GraphqlService } from './graphql-service.ts'
import { throwIfBeyond } from './limits/document-limits.ts'
import { joinGroup } from './live/join-group.ts'
import type { Subscriber } from './live/subscriber.ts'
import { maskResult } from './errors/mask-result.ts'
import { type HttpRequest, readParams } from './request/params.ts'
import { runInTurn } from './request/run-in-turn.ts'
import { listSentValues } from './request/sent-values.ts'
import { toGraphqlErrors } from './errors/request-errors.ts'
import { readVariables, throwIfRounded } from './variables/read-variables.ts'

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
  const source = new DocumentSource(findDocumentText(params, service.trusted))
  const { apiKey, outcome } = context
  let document: RequestDocument | null = null
  // From here on, errors are a result. As application/json, what is wrong with a document or its variables then has status 200.
  try {
    throwIfRounded(listSentValues('variables', params.variables))
    const { documents } = service
    document = documents.find(source) ?? (await runInTurn(() => documents.prepare(source), context, service))
    const operation = document.selectOperation(params.operationName)
    describeOperation(outcome, operation)
    throwIfNotAllowed(operation.node, request.method, apiKey)
    // Before the variables are known to be valid: also the answer to others says what they would cost.
    outcome.queryCost = document.costOf(operation, params.variables)
    throwIfBeyond(service.limits, 'cost', outcome.queryCost)
    const values = readVariables(service, operation.node, params.variables)
    const execution = { params, document, values }
    if (operation.node.operation === OperationTypeNode.SUBSCRIPTION)
      return await joinGroup(execution, request.accepted, context, service)
    context.openCost.hold(apiKey.name, outcome.queryCost, context.response)
    const result = await traceOperation(operation.node, () => executeOperation(execution, context, service))
    return maskResult(result, context, document)
  } catch (error) {
    return maskResult({ errors: toGraphqlErrors(error) }, context, document)
  }
}

/** Records what the log says of a request. */
function describeOperation(outcome: RequestOutcome, { node, rootFields }: PreparedOperation): void {
  outcome.operation = node.name?.value ?? null
  outcome.operationType = node.operation
  outcome.rootFields = rootFields
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
