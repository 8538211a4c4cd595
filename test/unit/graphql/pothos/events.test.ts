/** Subscriptions to the events of the tests' own resource. */
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { EventFeed } from '../../../../src/db/events/event-feed.ts'
import { builder } from '../../../../src/graphql/pothos/builder.ts'
import { defineEvents } from '../../../../src/graphql/pothos/events.ts'
import '../../../../src/server/schema.ts'
import { crate, type Crate, crateList, createCrateEvent } from '../../../support/crates.ts'
import { createContext } from '../../support/context.ts'
import { createFakeDatabase } from '../../support/database.ts'

// The builder is the process's own: the schema of the service has been made, so these types are in none.
const { subscribe, resolve } = defineEvents(builder.objectRef<Crate>('Crate'), 'Crate', crateList)

/** A client that waits for events. */
class Client extends EventEmitter {
  destroyed = false
}

function createSubscriber(client = new Client()) {
  const events = new EventFeed([], async () => undefined)
  const context = createContext({ ...createFakeDatabase(), events }, { response: client })
  return { client, events, context }
}

it('a subscriber gets the events that match its filter, with the item', async () => {
  const { events, context } = createSubscriber()
  const { row } = createCrateEvent(1)
  const subscription = await subscribe({ size: ['large'] }, context)
  events.publish({ ...createCrateEvent(1), row: { ...row, size: 'small' } })
  events.publish({ ...createCrateEvent(2), row: { ...row, id: '2', size: 'large' } })
  const { value } = await subscription.next()
  if (!value) throw new Error('An event was expected')
  expect(resolve(value)).toMatchObject({
    kind: value.kind,
    item: { id: '2', size: 'large', label: crate.label },
  })
})

it('a filter that is not valid is an error at once', async () => {
  const { events, context } = createSubscriber()
  const filter = { labelPrefix: '\0' }
  await expect(subscribe(filter, context)).rejects.toMatchObject({
    code: 'INVALID_VALUE',
    problems: [{ argument: 'filter.labelPrefix' }],
  })
  expect(events.size).toBe(0)
})

it('a subscription ends with its client', async () => {
  const { client, events, context } = createSubscriber()
  const subscription = await subscribe(null, context)
  expect(events.size).toBe(1)
  client.emit('close')
  expect(events.size).toBe(0)
  expect(await subscription.next()).toMatchObject({ done: true })
})

it('one whose client has gone meanwhile ends at once', async () => {
  const { client, events, context } = createSubscriber()
  client.destroyed = true
  const subscription = await subscribe(null, context)
  expect(events.size).toBe(0)
  expect(await subscription.next()).toMatchObject({ done: true })
})
