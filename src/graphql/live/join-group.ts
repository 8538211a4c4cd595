import { hash } from 'node:crypto'
import { type ExecutionResult, GraphQLError, subscribe } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import type { ClientResponse } from '../../base/client-response.ts'
import type { Turns } from '../../base/turns.ts'
import { ServiceError } from '../../base/service-error.ts'
import { requireValid } from '../../keys/api-key.ts'
import { type Context, forSubscribers } from '../request/context.ts'
import type { GraphqlSettings } from '../request/graphql-settings.ts'
import type { RequestDocument } from '../documents/request-document.ts'
import { type Execution, toExecutionArgs } from '../documents/execution.ts'
import { runInTurn } from '../request/run-in-turn.ts'
import { maskResult } from '../errors/mask-result.ts'
import { notAcceptable } from '../request/media-types.ts'
import { RequestErrors } from '../errors/request-errors.ts'
import { chooseFormat } from './event-streams.ts'
import type { Subscriber } from './subscriber.ts'
import type { Subscriptions } from './subscriptions.ts'

/** The maximum number of characters and tokens of a subscription, which stays in memory for as long as it is open. */
const MAX_CHARACTERS = 8_192
const MAX_TOKENS = 500

/** What all subscriptions share. */
interface LiveService extends GraphqlSettings {
  subscriptions: Subscriptions
  turns: Turns
}

/**
 * Joins the group of the subscriptions that are equal to this one, and have the same rights.
 * @throws RequestErrors, ServiceError if it is not accepted
 */
export async function joinGroup(
  execution: Execution,
  accepted: readonly string[],
  context: Context,
  service: LiveService,
): Promise<Subscriber> {
  const { params, document } = execution
  const { name, scope } = context.apiKey
  const { text, tokenCount } = document
  const { operationName, variables } = params
  throwIfLong(JSON.stringify({ ...params, query: text }).length, tokenCount)
  const format = chooseFormat(accepted)
  if (!format) throw notAcceptable()
  const open = async (subscribers: ClientResponse) => {
    const contextValue = forSubscribers(context, subscribers)
    const subscribeNow = () => subscribe(toExecutionArgs(execution, contextValue, service))
    const results = await runInTurn(subscribeNow, contextValue, service)
    if (isAsyncIterable(results)) return toTexts(results, document, contextValue)
    throw new RequestErrors(results.errors ?? [])
  }
  // All that the bytes of an event may depend on.
  const id = hash('sha256', JSON.stringify([name, scope, format.contentType, text, operationName, variables]))
  const subscriber = await service.subscriptions.join({ id, clientName: name, format, open })
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
    JSON.stringify(maskResult(result, context, document, { isEvent: true }))
  try {
    for await (const result of results) yield toText(result)
  } catch (error) {
    yield toText({ errors: [new GraphQLError('A subscription failed', { cause: error })] })
  }
}

/** @param size the number of characters of all parameters, as JSON @throws ServiceError INVALID_REQUEST */
function throwIfLong(size: number, tokens: number): void {
  if (size <= MAX_CHARACTERS && tokens <= MAX_TOKENS) return
  throw new ServiceError(
    'INVALID_REQUEST',
    `A subscription has at most ${MAX_CHARACTERS} characters, with its variables, and ${MAX_TOKENS} tokens in its document.`,
  )
}
