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
import { EventText } from '../base/memory-budget.ts'
import { type Reporting, toErrorAnswer } from './errors.ts'
import type { Context } from './schema/context.ts'

/** The maximum number of selections whose last event is kept, and of bytes of their texts. */
const MAX_SELECTIONS = 1_000
const MAX_BYTES = 16 * 2 ** 20

interface Executed {
  event: unknown
  result: ExecutionResult | Promise<ExecutionResult>
}

/** Makes the text of an event up to the end of the result, unless it has just been made for another subscriber. */
export type WriteEvent = () => EventText

/**
 * Executes and writes each event once for all subscribers that select the same. An event holds only what every key may read, so
 * their results are equal.
 */
export class EventTexts {
  /** By selection: the result and the text of the last event. */
  readonly #results = new LRUCache<string, Executed>({ max: MAX_SELECTIONS })
  readonly #texts = new LRUCache<string, { result: ExecutionResult; text: EventText }>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text }) => text.length,
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
      const last = this.#results.get(selection)
      const executed = last && last.event === event ? last : { event, result: execute(event) }
      if (executed !== last) this.#results.set(selection, executed)
      const result = await executed.result
      yield () => this.#write(selection, result, reporting)
    }
  }

  #write(selection: string, result: ExecutionResult, reporting: Reporting): EventText {
    const last = this.#texts.get(selection)
    if (last?.result === result) return last.text
    const text = writeText(result, reporting)
    this.#texts.set(selection, { result, text })
    return text
  }
}

/** The beginning of a server-sent event; the end of the result and of the event may be each subscriber's own. */
function writeText({ errors, data }: ExecutionResult, reporting: Reporting): EventText {
  const failed = errors ? `"errors":${JSON.stringify(toErrorAnswer(errors, reporting).errors)},` : ''
  const start = `event: next\ndata: {${failed}"data":`
  const json = JSON.stringify(data ?? null)
  // A large text is copied once.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(start) + Buffer.byteLength(json))
  bytes.write(json, bytes.write(start))
  return new EventText(bytes)
}
