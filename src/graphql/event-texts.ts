import { hash } from 'node:crypto'
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  validateSubscriptionArgs,
} from 'graphql'
import { type GraphQLParams, isAsyncIterable } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { writeJson } from '../base/large-json.ts'
import { EventText } from '../base/memory-budget.ts'
import type { Job } from '../base/turns.ts'
import { type Reporting, toErrorAnswer } from './errors.ts'
import type { Context } from './schema/context.ts'

/** The maximum number of selections whose last event is kept, and of bytes of their texts. */
const MAX_SELECTIONS = 1_000
const MAX_BYTES = 16 * 2 ** 20

/** An event executed for a selection, and its text once there is one. */
interface Executed {
  event: unknown
  result: ExecutionResult | Promise<ExecutionResult>
  text: EventText | null
}

/** Makes the text of an event up to the end of the result, unless it has just been made for another subscriber. */
export type WriteEvent = () => Job<EventText>

/**
 * Executes and writes each event once for all subscribers that select the same. An event holds only what every key may read, so
 * their results are equal.
 */
export class EventTexts {
  /** The last event of each selection. */
  readonly #last = new LRUCache<string, Executed>({
    max: MAX_SELECTIONS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text }) => 1 + (text?.length ?? 0),
  })

  /** Like `subscribe` of graphql-js, which executes each event for each subscriber. */
  async subscribe(args: ExecutionArgs): Promise<AsyncIterable<WriteEvent> | ExecutionResult> {
    const validated = validateSubscriptionArgs(args)
    if (!('schema' in validated)) return { errors: validated }
    const source = await createSourceEventStream(validated)
    if (!isAsyncIterable(source)) return source
    const context = args.contextValue as Context & { params: GraphQLParams }
    const { params } = context
    const selection = hash('sha1', JSON.stringify([params.query, args.operationName, params.variables]))
    const execute = (event: unknown) => executeSubscriptionEvent({ ...validated, rootValue: event })
    return this.#writeAll(source, selection, execute, context)
  }

  async *#writeAll(
    source: AsyncIterable<unknown>,
    selection: string,
    execute: (event: unknown) => Executed['result'],
    reporting: Reporting,
  ): AsyncGenerator<WriteEvent, void> {
    for await (const event of source) {
      const result = await this.#executeOnce(selection, event, execute)
      yield () => this.#writeOnce(selection, event, result, reporting)
    }
  }

  #find(selection: string, event: unknown): Executed | null {
    const last = this.#last.get(selection)
    return last && last.event === event ? last : null
  }

  #executeOnce(
    selection: string,
    event: unknown,
    execute: (event: unknown) => Executed['result'],
  ): Executed['result'] {
    const executed = this.#find(selection, event)
    if (executed) return executed.result
    const result = execute(event)
    this.#last.set(selection, { event, result, text: null })
    return result
  }

  *#writeOnce(
    selection: string,
    event: unknown,
    result: ExecutionResult,
    reporting: Reporting,
  ): Job<EventText> {
    const written = this.#find(selection, event)?.text
    if (written) return written
    const text = yield* writeText(result, reporting)
    this.#last.set(selection, { event, result, text })
    return text
  }
}

/** The beginning of a server-sent event; the end of the result and of the event may be each subscriber's own. */
function* writeText({ errors, data = null }: ExecutionResult, reporting: Reporting): Job<EventText> {
  const failed = errors ? `"errors":${JSON.stringify(toErrorAnswer(errors, reporting).errors)},` : ''
  return new EventText(yield* writeJson(data, `event: next\ndata: {${failed}"data":`))
}
