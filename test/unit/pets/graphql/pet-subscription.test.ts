import { parse, subscribe } from 'graphql'
import { expect, it, vi } from 'vitest'
import { schema } from '../../../../src/server/schema.ts'
import { createContext } from '../../support/context.ts'
import { createFakeDatabase } from '../../support/database.ts'
import { createPetEvent } from '../../support/pet-event.ts'

/** Subscribes; the connection is closed by `close`. */
async function start(args = '') {
  const database = createFakeDatabase(() => [['max']])
  const onClose = vi.fn<(listener: () => void) => void>()
  const stream = await subscribe({
    schema,
    document: parse(`subscription { petChanged${args} { kind pet { id name } } }`),
    contextValue: createContext(database, { response: { isClosed: false, onClose } }),
  })
  return { feed: database.changes, stream, close: () => onClose.mock.calls[0]?.[0]() }
}

it('a subscription receives the events that match its filter', async () => {
  const { feed, stream } = await start('(filter: {namePrefix: "MAX"})')
  if (!(Symbol.asyncIterator in stream)) throw new Error('not subscribed')
  feed.publish(createPetEvent(1, 'Rex'))
  feed.publish(createPetEvent(2, 'Max'))
  const { value } = await stream.next()
  expect(value).toEqual({ data: { petChanged: { kind: 'created', pet: { id: '2', name: 'Max' } } } })
})

it('a subscription counts for its key', async () => {
  const database = createFakeDatabase()
  const subscribing = vi.spyOn(database.changes, 'subscribe')
  await subscribe({
    schema,
    document: parse('subscription { petChanged { kind } }'),
    contextValue: createContext(database),
  })
  expect(subscribing.mock.calls).toEqual([['client', expect.any(Function)]])
})

it('a subscription ends when the connection is closed', async () => {
  const { feed, close } = await start()
  expect(feed.size).toBe(1)
  close()
  expect(feed.size).toBe(0)
})

it('a subscription with an invalid filter is rejected', async () => {
  const { feed, stream } = await start('(filter: {namePrefix: "\\u0000"})')
  expect(stream).toMatchObject({ errors: [{ cause: { code: 'INVALID_VALUE' } }] })
  expect(feed.size).toBe(0)
})
