import { hash } from 'node:crypto'
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  GraphQLError,
  isRequiredArgument,
  parse,
  print,
  separateOperations,
  TypeInfo,
  type ValidatedSubscriptionArgs,
  validateSubscriptionArgs,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../base/service-error.ts'
import { describeError } from './masked-errors.ts'
import type { Context } from './schema/context.ts'

/** The maximum number of tokens that a subscription selects of an event: it is kept as long as the subscription is open. */
const MAX_TOKENS = 250
/** The maximum number of selections whose last event is kept, and of bytes of their texts. */
const MAX_SELECTIONS = 1_000
const MAX_BYTES = 16 * 2 ** 20

/** An event executed for a selection, and its texts once there are any. */
interface Executed {
  /** Weak: it would keep all of its row, of which only the selected part is counted. */
  event: WeakRef<object>
  result: ExecutionResult | Promise<ExecutionResult>
  /** By the text before the result. */
  texts: ReadonlyMap<string, Buffer>
}

/** Makes the text of an event up to the end of the result, unless it has just been made. @param before precedes the result in it */
export type WriteEvent = (before: string) => Buffer

/**
 * Creates a function like `subscribe` of graphql-js, but each event is executed and written once for all subscribers that select the
 * same. It holds only what every key may read, so their results are equal.
 */
export function createSubscribe() {
  const texts = new EventTexts()
  return async (args: ExecutionArgs): Promise<AsyncIterable<WriteEvent> | ExecutionResult> => {
    const validated = validateSubscriptionArgs(args)
    if (!('schema' in validated)) return { errors: validated }
    const selection = toSelection(validated)
    const source = await createSourceEventStream(validated)
    return isAsyncIterable(source) ? texts.writeAll(source, selection) : source
  }
}

/** What a subscription selects of an event; it keeps nothing else of its request. */
interface Selection {
  /** Equal for those that have equal results. */
  key: string
  args: ValidatedSubscriptionArgs
  context: Context
}

function toSelection(validated: ValidatedSubscriptionArgs): Selection {
  const { schema, hideSuggestions } = validated
  const rawVariableValues = validated.rawVariableValues ?? {}
  // Without what Yoga has added.
  const context = { ...(validated.contextValue as Context), params: undefined, request: undefined }
  const { text, variables } = printSelection(validated)
  const document = parseSelection(text)
  // One that is not sent has its default, which null replaces.
  const sent = variables.flatMap((name) =>
    Object.hasOwn(rawVariableValues, name) ? [[name, rawVariableValues[name]] as const] : [],
  )
  const variableValues = Object.fromEntries(sent)
  const args = validateSubscriptionArgs({
    schema,
    document,
    variableValues,
    hideSuggestions,
    contextValue: context,
  })
  if (!('schema' in args)) throw new Error('The selection of a valid subscription is not valid')
  return { key: hash('sha1', JSON.stringify([text, sent])), args, context }
}

/**
 * Prints a subscription without what only its beginning needs: other operations, its name, and the arguments of its field, which decide
 * which events it receives.
 * @returns also the names of the variables in it
 */
function printSelection({ schema, document, operation }: ValidatedSubscriptionArgs) {
  const own = separateOperations(document)[operation.name?.value ?? ''] ?? document
  const types = new TypeInfo(schema)
  const used = new Set<string>()
  const selected = visit(
    own,
    visitWithTypeInfo(types, {
      Field: (field) => {
        if (types.getParentType() !== schema.getSubscriptionType()) return undefined
        const required = types
          .getFieldDef()
          ?.args.filter(isRequiredArgument)
          .map(({ name }) => name)
        return { ...field, arguments: field.arguments?.filter(({ name }) => required?.includes(name.value)) }
      },
      VariableDefinition: () => false,
      Variable: ({ name }) => void used.add(name.value),
    }),
  )
  const definitions = selected.definitions.map((node) =>
    'variableDefinitions' in node && node.kind === 'OperationDefinition'
      ? {
          ...node,
          name: undefined,
          variableDefinitions: node.variableDefinitions?.filter(({ variable }) =>
            used.has(variable.name.value),
          ),
        }
      : node,
  )
  return { text: print({ ...selected, definitions }), variables: [...used].sort() }
}

function parseSelection(text: string): DocumentNode {
  try {
    return parse(text, { noLocation: true, maxTokens: MAX_TOKENS })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    throw new ServiceError(
      'INVALID_REQUEST',
      `A subscription selects at most ${MAX_TOKENS} tokens of an event.`,
    )
  }
}

class EventTexts {
  /** The last event of each selection. */
  readonly #last = new LRUCache<string, Executed>({
    max: MAX_SELECTIONS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ texts }) => texts.values().reduce((sum, { length }) => sum + length, 1),
  })

  /** For one subscriber: each event is executed when the one before has been taken. */
  async *writeAll(events: AsyncIterable<unknown>, selection: Selection): AsyncGenerator<WriteEvent, void> {
    for await (const event of events) {
      if (typeof event !== 'object' || event === null) throw new Error('An event is not an object')
      const result = await this.#execute(event, selection)
      yield (before) => this.#write(event, result, before, selection)
    }
  }

  #execute(event: object, { key, args }: Selection): Executed['result'] {
    const last = this.#find(event, key)
    if (last) return last.result
    const result = executeSubscriptionEvent({ ...args, rootValue: event })
    this.#last.set(key, { event: new WeakRef(event), result, texts: new Map() })
    return result
  }

  #write(event: object, result: ExecutionResult, before: string, { key, context }: Selection): Buffer {
    const texts = this.#find(event, key)?.texts
    const written = texts?.get(before)
    if (written) return written
    const text = writeText(before, result, context)
    this.#last.set(key, { event: new WeakRef(event), result, texts: new Map(texts).set(before, text) })
    return text
  }

  #find(event: object, key: string): Executed | undefined {
    const last = this.#last.get(key)
    return last?.event.deref() === event ? last : undefined
  }
}

/** A result without its end, which may differ between subscribers. */
function writeText(before: string, { errors, data = null }: ExecutionResult, context: Context): Buffer {
  const sent = errors?.map((error) => describeError(error, context).sent)
  const failed = sent ? `"errors":${JSON.stringify(sent)},` : ''
  return Buffer.from(`${before}{${failed}"data":${JSON.stringify(data)}`)
}
