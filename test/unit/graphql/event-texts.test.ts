import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../../src/server/schema.ts'
import { createSubscribe, type WriteEvent } from '../../../src/graphql/event-texts.ts'
import { EVENTS, turns } from '../../../src/base/turns.ts'
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
    subscribe: async (query = NAMES, variables: Record<string, unknown> = {}) => {
      const contextValue = { ...createContext(database), params: { query, variables } }
      const args = { schema, document: parse(query), variableValues: variables, contextValue }
      const events = (await subscribe(args)) as AsyncIterable<WriteEvent>
      const iterator = events[Symbol.asyncIterator]()
      const next = async (before = '') =>
        turns.run(EVENTS, ((await iterator.next()).value as WriteEvent)(before))
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

it('the next event, and other variables, are another text', async () => {
  const { subscribe, publish } = createScene()
  const query = 'subscription ($hide: Boolean!) { petChanged { kind pet { name @skip(if: $hide) } } }'
  const [shown, hidden] = [await subscribe(query, { hide: false }), await subscribe(query, { hide: true })]
  for (const name of ['Rex', 'Max']) {
    const reads = [shown.next(), hidden.next()]
    publish(name)
    const texts = (await Promise.all(reads)).map((text) => text.toString())
    expect(texts.map((text) => text.includes(name))).toEqual([true, false])
  }
})

it('a variable that is null is another text than one that has its default', async () => {
  const { subscribe, publish } = createScene()
  const query = 'subscription ($show: Boolean = true) { petChanged { pet { id name @include(if: $show) } } }'
  const [absent, none] = [await subscribe(query), await subscribe(query, { show: null })]
  for (const order of [
    [absent, none],
    [none, absent],
  ]) {
    const reads = new Map(order.map((subscriber) => [subscriber, subscriber.next()]))
    publish('Rex')
    expect((await reads.get(absent))?.toString()).toBe(
      '{"data":{"petChanged":{"pet":{"id":"1","name":"Rex"}}}',
    )
    expect((await reads.get(none))?.toString()).toContain('"errors"')
  }
})

it('variables that are not declared are ignored, however deep they are nested', async () => {
  const { subscribe, publish } = createScene()
  let deep: unknown = null
  for (let depth = 0; depth < 30_000; depth += 1) deep = [deep]
  const subscribers = [await subscribe(NAMES, { deep }), await subscribe()]
  const reads = subscribers.map((subscriber) => subscriber.next())
  publish('Rex')
  const [ignored, none] = await Promise.all(reads)
  expect(ignored).toBe(none)
})

it('the last event of a selection is not kept, only what is selected of it', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
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
    await turns.run(EVENTS, ((await next).value as WriteEvent)(''))
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

it('an error is masked, and keeps its code', async () => {
  const subscribe = createSubscribe()
  const query = 'subscription { petChanged(filter: {namePrefix: "\\u0000"}) { kind } }'
  const contextValue = { ...createContext(), params: { query } }
  expect(await subscribe({ schema, document: parse(query), contextValue })).toMatchObject({
    errors: [{ path: ['petChanged'] }],
  })
})
