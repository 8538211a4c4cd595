import { parse } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../src/server/schema.ts'
import { createSubscribe, type WriteEvent } from '../../../src/graphql/event-texts.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { eventually } from '../../support/eventually.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createPetEvent } from '../support/pet-event.ts'

const NAMES = 'subscription { petChanged { pet { name } } }'

/** Subscribers of one feed; each call subscribes one more. */
function createScene() {
  const subscribe = createSubscribe()
  const database = createFakeDatabase()
  return {
    publish: (name: string) => database.changes.publish(createPetEvent(1, name)),
    subscribe: async (query = NAMES, variables: Record<string, unknown> = {}, operationName?: string) => {
      const contextValue = { ...createContext(database), params: { query, variables } }
      const args = { schema, document: parse(query), variableValues: variables, contextValue, operationName }
      const events = (await subscribe(args)) as AsyncIterable<WriteEvent>
      const iterator = events[Symbol.asyncIterator]()
      const next = async (before = '') => ((await iterator.next()).value as WriteEvent)(before)
      return { next }
    },
  }
}

it('subscribers that select the same share the text of each event', async () => {
  const { subscribe, publish } = createScene()
  const [first, second, other] = await Promise.all([
    subscribe(),
    subscribe(),
    subscribe('subscription { petChanged { kind } }'),
  ])
  const reads = [first, second, other].map((subscriber) => subscriber.next())
  publish('Rex')
  const [mine, same, different] = await Promise.all(reads)
  expect(mine?.toString()).toBe('{"data":{"petChanged":{"pet":{"name":"Rex"}}}')
  expect(same).toBe(mine)
  expect(different?.toString()).toContain('"kind"')
})

it('subscribers by different protocols get the same result, each after what its own has before it', async () => {
  const { subscribe, publish } = createScene()
  const subscribers = [await subscribe(), await subscribe(), await subscribe(), await subscribe()]
  const reads = subscribers.map((subscriber, index) => subscriber.next(index % 2 ? 'data: ' : ''))
  publish('Rex')
  const [plain, prefixed, ...others] = await Promise.all(reads)
  expect(prefixed?.toString()).toBe(`data: ${plain?.toString()}`)
  expect([others[0] === plain, others[1] === prefixed]).toEqual([true, true])
})

type Subscriber = [query: string, variables?: Record<string, unknown>, operationName?: string]
const HIDING = 'subscription ($hide: Boolean!) { petChanged { pet { id name @skip(if: $hide) } } }'
const SHOWING = 'subscription ($show: Boolean = true) { petChanged { pet { id name @include(if: $show) } } }'
const TWO = `subscription Kinds { petChanged { ...K } } subscription Names { petChanged { pet { ...N } } }
  fragment K on PetEvent { kind } fragment N on Pet { name }`

it.each<[string, [Subscriber, string], [Subscriber, string]]>([
  [
    'variables',
    [[HIDING, { hide: false }], '"name":"Rex"'],
    [[HIDING, { hide: true }], '{"pet":{"id":"1"}}'],
  ],
  ['null instead of a default', [[SHOWING], '"name":"Rex"'], [[SHOWING, { show: null }], '"errors"']],
  [
    'an operation',
    [[TWO, {}, 'Kinds'], '{"kind":"created"}'],
    [[TWO, {}, 'Names'], '{"pet":{"name":"Rex"}}'],
  ],
])('of one document, subscribers that differ by %s each get their own text', async (_, ...cases) => {
  for (const order of [cases, cases.toReversed()]) {
    const { subscribe, publish } = createScene()
    const subscribers = await Promise.all(order.map(([one]) => subscribe(...one)))
    for (const name of ['Rex', 'Max']) {
      const reads = subscribers.map((subscriber) => subscriber.next())
      publish(name)
      const texts = (await Promise.all(reads)).map(String)
      const expected = order.map(([, text]) => expect.stringContaining(text.replace('Rex', name)) as string)
      expect(texts).toEqual(expected)
    }
  }
})

it.each<[string, string, object?]>([
  ['the name of the operation', 'subscription Names { petChanged { pet { name } } }'],
  ['layout and comments', 'subscription {\n  petChanged { # all\n pet { name } } }'],
  ['the filter', 'subscription { petChanged(filter: {categoryId: 7}) { pet { name } } }'],
  [
    'variables of the filter',
    'subscription ($f: PetFilter, $g: PetFilter = {}) { petChanged(filter: $f) { pet { name } } }',
    { f: { categoryId: [7, 7] }, g: null },
  ],
  ['variables that are not declared', NAMES, { f: {} }],
  ['other operations', `${NAMES.replace('{', 'Names {')} query Other { pets { totalCount } }`],
])('subscribers share a text in spite of %s', async (_, query, variables = {}) => {
  const { subscribe, publish } = createScene()
  const operationName = /Other/.test(query) ? 'Names' : undefined
  const subscribers = [await subscribe(query, { ...variables }, operationName), await subscribe()]
  const reads = subscribers.map((subscriber) => subscriber.next())
  publish('Rex')
  const [one, other] = await Promise.all(reads)
  expect(one?.toString()).toBe('{"data":{"petChanged":{"pet":{"name":"Rex"}}}')
  expect(one).toBe(other)
})

it('the field of a subscription may stand in fragments, and more than once', async () => {
  const { subscribe, publish } = createScene()
  const query = `subscription ($f: PetFilter) { ...F ... { petChanged(filter: $f) { kind } } }
    fragment F on Subscription { petChanged(filter: $f) { pet { name } } }`
  const next = (await subscribe(query, { f: { categoryId: [7, 7] } })).next()
  publish('Rex')
  expect((await next).toString()).toBe('{"data":{"petChanged":{"pet":{"name":"Rex"},"kind":"created"}}')
})

it.each([
  ['fields', (count: number) => 'id '.repeat(count)],
  ['inline fragments', (count: number) => `${'... { '.repeat(count / 3)} id ${'}'.repeat(count / 3)}`],
])('a subscription selects at most 250 tokens: %s', async (_, select) => {
  const { subscribe } = createScene()
  const query = (count: number) => `subscription { petChanged { pet { ${select(count)} } } }`
  await subscribe(query(200))
  await expect(subscribe(query(300))).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'A subscription selects at most 250 tokens of an event.',
  })
})

it('the last event of a selection is not kept, only what is selected of it', async () => {
  const subscribe = createSubscribe()
  const database = createFakeDatabase()
  const params = { query: 'subscription { petChanged { kind } }' }
  const args = {
    schema,
    document: parse(params.query),
    contextValue: { ...createContext(database), params },
  }
  const events = ((await subscribe(args)) as AsyncIterable<WriteEvent>)[Symbol.asyncIterator]()
  const published = await (async () => {
    const event = createPetEvent(1)
    const next = events.next()
    database.changes.publish(event)
    ;((await next).value as WriteEvent)('')
    return new WeakRef(event)
  })()
  await events.return?.()
  await eventually(() => {
    collectGarbage()
    // Not the event, since the error would keep it.
    expect(published.deref() === undefined).toBe(true)
  })
  // Still there, with the events of other subscribers.
  expect(subscribe).toBeTypeOf('function')
})
