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
import type { Job } from '../base/turns.ts'
import { writeJson } from '../base/write-json.ts'
import { describeError } from './errors.ts'
import type { Context } from './schema/context.ts'

/** The maximum number of selections whose last event is kept, and of bytes of their texts. */
const MAX_SELECTIONS = 1_000
const MAX_BYTES = 16 * 2 ** 20

/** An event executed for a selection, and its texts once there are any. */
interface Executed {
  /** Its number: the event itself would keep all of its row, of which only the selected part is counted. */
  event: number
  result: ExecutionResult | Promise<ExecutionResult>
  /** By the text before the result. */
  texts: ReadonlyMap<string, Buffer>
}

/** Makes the text of an event up to the end of the result, unless it has just been made. @param before precedes the result in it */
export type WriteEvent = (before: string) => Job<Buffer>

/**
 * Creates a function like `subscribe` of graphql-js, but each event is executed and written once for all subscribers that select the
 * same. It holds only what every key may read, so their results are equal.
 */
export function createSubscribe() {
  /** The last event of each selection. */
  const lastEvents = new LRUCache<string, Executed>({
    max: MAX_SELECTIONS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ texts }) => texts.values().reduce((sum, { length }) => sum + length, 1),
  })
  const numbers = new WeakMap<object, number>()
  let count = 0
  const numberOf = (event: unknown): number => {
    if (typeof event !== 'object' || event === null) throw new Error('An event is not an object')
    const number = numbers.get(event) ?? (count += 1)
    numbers.set(event, number)
    return number
  }

  return async (args: ExecutionArgs): Promise<AsyncIterable<WriteEvent> | ExecutionResult> => {
    const validated = validateSubscriptionArgs(args)
    if (!('schema' in validated)) return { errors: validated }
    const source = await createSourceEventStream(validated)
    if (!isAsyncIterable(source)) return source
    const context = args.contextValue as Context & { params: GraphQLParams }
    const { query } = context.params
    const variables: Readonly<Record<string, unknown>> = context.params.variables ?? {}
    // Those that are not declared have not been checked: they may be nested too deep to be written. One that is not sent has its
    // default, which null replaces.
    const declared = validated.operation.variableDefinitions?.flatMap(({ variable: { name } }) =>
      Object.hasOwn(variables, name.value) ? [[name.value, variables[name.value]]] : [],
    )
    const selection = hash('sha1', JSON.stringify([query, args.operationName, declared]))
    const find = (event: number) => {
      const last = lastEvents.get(selection)
      return last?.event === event ? last : undefined
    }
    const execute = (event: number, rootValue: unknown): Executed['result'] => {
      const executed = find(event)
      if (executed) return executed.result
      const result = executeSubscriptionEvent({ ...validated, rootValue })
      lastEvents.set(selection, { event, result, texts: new Map() })
      return result
    }

    function* write(event: number, result: ExecutionResult, before: string): Job<Buffer> {
      const texts = find(event)?.texts
      const written = texts?.get(before)
      if (written) return written
      const text = yield* writeText(before, result, context)
      lastEvents.set(selection, { event, result, texts: new Map(texts).set(before, text) })
      return text
    }

    async function* writeAll(events: AsyncIterable<unknown>): AsyncGenerator<WriteEvent, void> {
      for await (const rootValue of events) {
        const event = numberOf(rootValue)
        const result = await execute(event, rootValue)
        yield (before) => write(event, result, before)
      }
    }
    return writeAll(source)
  }
}

/** A result without its end, which may differ between subscribers. */
function* writeText(before: string, { errors, data = null }: ExecutionResult, context: Context): Job<Buffer> {
  const sent = errors?.map((error) => describeError(error, context).sent)
  const failed = sent ? `"errors":${JSON.stringify(sent)},` : ''
  return yield* writeJson(data, `${before}{${failed}"data":`)
}
