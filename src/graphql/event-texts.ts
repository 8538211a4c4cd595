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
import { type Job, writeJson } from '../base/turns.ts'
import { type Reporting, toErrorAnswer } from './errors.ts'
import type { Context } from './schema/context.ts'

/** The maximum number of selections whose last event is kept, and of bytes of their texts. */
const MAX_SELECTIONS = 1_000
const MAX_BYTES = 16 * 2 ** 20

/** An event executed for a selection, and its texts once there are any. */
interface Executed {
  event: unknown
  result: ExecutionResult | Promise<ExecutionResult>
  /** By what is before the result. */
  texts: ReadonlyMap<string, Buffer>
}

/**
 * Makes the text of an event up to the end of the result, unless it has just been made for another subscriber.
 * @param before is in the text, before the result
 */
export type WriteEvent = (before: string) => Job<Buffer>

/**
 * Executes and writes each event once for all subscribers that select the same. An event holds only what every key may read, so
 * their results are equal.
 */
export class EventTexts {
  /** The last event of each selection. */
  readonly #last = new LRUCache<string, Executed>({
    max: MAX_SELECTIONS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ texts }) => [...texts.values()].reduce((sum, { length }) => sum + length, 1),
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
      yield (before) => this.#writeOnce(selection, event, result, before, reporting)
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
    this.#last.set(selection, { event, result, texts: new Map() })
    return result
  }

  *#writeOnce(
    selection: string,
    event: unknown,
    result: ExecutionResult,
    before: string,
    reporting: Reporting,
  ): Job<Buffer> {
    const texts = this.#find(selection, event)?.texts
    const written = texts?.get(before)
    if (written) return written
    const text = yield* writeText(before, result, reporting)
    this.#last.set(selection, { event, result, texts: new Map(texts).set(before, text) })
    return text
  }
}

/** A result except its end, which may be each subscriber's own. */
function* writeText(
  before: string,
  { errors, data = null }: ExecutionResult,
  reporting: Reporting,
): Job<Buffer> {
  const failed = errors ? `"errors":${JSON.stringify(toErrorAnswer(errors, reporting).errors)},` : ''
  return yield* writeJson(data, `${before}{${failed}"data":`)
}
