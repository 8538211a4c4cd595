/** What is wrong with graphql-yoga. A test that fails here may mean that it has been mended: then its way around can go. */
import { createSchema, createYoga } from 'graphql-yoga'
import { expect, it } from 'vitest'
import { cancelStream } from '../../../src/workarounds/graphql-yoga.ts'

async function subscribe() {
  let isOpen = true
  async function* events() {
    try {
      yield await new Promise<never>(() => undefined)
    } finally {
      isOpen = false
    }
  }
  const source = Object.assign(events(), {
    return: async () => {
      isOpen = false
      return { done: true as const, value: undefined }
    },
  })
  const typeDefs = 'type Query { a: Int } type Subscription { a: Int }'
  const resolvers = { Subscription: { a: { subscribe: () => source } } }
  const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false })
  const response = await yoga.fetch('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { a }' }),
  })
  if (!response.body) throw new Error('there is no stream')
  return { stream: response.body, isOpen: () => isOpen }
}

it('a stream that was not read cannot be cancelled', async () => {
  const { stream, isOpen } = await subscribe()
  await expect((async () => stream.cancel())()).rejects.toThrow(TypeError)
  expect(isOpen()).toBe(true)
})

it('cancelStream ends its subscription', async () => {
  const { stream, isOpen } = await subscribe()
  await cancelStream(stream)
  expect(isOpen()).toBe(false)
})
