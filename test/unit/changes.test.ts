/** Who hears of changes, and what it costs when he does not listen. */
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAuthenticate, createKeySource } from '../../src/auth.ts'
import { readConfig } from '../../src/config.ts'
import { ChangeFeed, type PetChange } from '../../src/db/changes.ts'
import { createChangeReader } from '../../src/db/notifications.ts'
import { ServiceError } from '../../src/errors.ts'
import { buildServer } from '../../src/server.ts'
import { subscribe } from '../support/event-stream.ts'

const change = (id: number, name = 'Rex'): PetChange => ({
  kind: 'created',
  pet: { id: String(id), name, categoryId: '7', status: null },
  states: [{ categoryId: '7', status: null, nameKey: name.toLowerCase() }],
})
const all = () => true

describe('a feed', () => {
  it('listens when there is somebody to hear of it, and again after it has lost its connection', async () => {
    const listen = vi.fn(async () => undefined)
    const feed = new ChangeFeed(listen)
    expect(listen).not.toHaveBeenCalled()
    const subscriptions = await Promise.all([feed.subscribe(all), feed.subscribe(all)])
    expect(listen).toHaveBeenCalledOnce()
    const waiting = subscriptions.map((subscription) => subscription.next())
    feed.lose()
    expect(await Promise.all(waiting)).toEqual([{ done: true }, { done: true }])
    await feed.subscribe(all)
    expect(listen).toHaveBeenCalledTimes(2)
  })

  it('says why it cannot listen, and tries again for the next one', async () => {
    const listen = vi.fn(async () => undefined)
    listen.mockRejectedValueOnce(new ServiceError('DATABASE_UNAVAILABLE'))
    const feed = new ChangeFeed(listen)
    await expect(feed.subscribe(all)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await feed.subscribe(all)
    expect(feed.size).toBe(1)
  })

  it('takes nobody whose connection was lost before he was in', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const feed = new ChangeFeed(() => promise)
    const subscribing = feed.subscribe(all)
    feed.lose()
    resolve(undefined)
    await expect(subscribing).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  })

  it('hands on what fits, in order, and lets go of whoever does not take it', async () => {
    const feed = new ChangeFeed(async () => undefined)
    const quick = await feed.subscribe(({ pet }) => Number(pet.id) % 2 === 0)
    await feed.subscribe(all)
    for (let id = 0; id < 300; id += 1) feed.publish(change(id))
    await vi.waitFor(() => expect(feed.size).toBe(1))
    expect((await quick.next()).value).toMatchObject({ pet: { id: '0' } })
    expect((await quick.next()).value).toMatchObject({ pet: { id: '2' } })
    await quick.return?.()
    expect(feed.size).toBe(0)
  })

  it('gives whoever reads the time to take thousands of changes at once', async () => {
    const feed = new ChangeFeed(async () => undefined)
    const subscription = await feed.subscribe(all)
    for (let id = 0; id < 9_000; id += 1) feed.publish(change(id))
    for (let id = 0; id < 9_000; id += 1) {
      expect((await subscription.next()).value).toMatchObject({ pet: { id: String(id) } })
    }
  })

  it('has everybody read again when there are too many', async () => {
    const feed = new ChangeFeed(async () => undefined)
    const subscription = await feed.subscribe(all)
    for (let id = 0; id < 10_001; id += 1) feed.publish(change(id))
    expect(await subscription.next()).toEqual({ done: true })
  })

  it('takes nobody once it is closed', async () => {
    const feed = new ChangeFeed(async () => undefined)
    feed.close()
    await expect(feed.subscribe(all)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  })
})

describe('notifications', () => {
  const written = (name: string) =>
    JSON.stringify({
      kind: 'created',
      id: '1',
      name,
      states: [{ categoryId: '7', status: null, nameKey: 'x' }],
    })
  const read = (...notifications: string[]) => {
    const publish = vi.fn<(change: PetChange) => void>()
    const lose = vi.fn()
    const reader = createChangeReader({ publish, lose })
    notifications.forEach(reader)
    return {
      names: publish.mock.calls.map(([{ pet }]) => pet.name),
      unreadable: lose.mock.calls.length,
    }
  }

  it('are put together', () => {
    const text = written('Rex')
    expect(read(`5.5 1 1 ${text}`, `5.6 1 2 ${text.slice(0, 9)}`, `5.6 2 2 ${text.slice(9)}`)).toEqual({
      names: ['Rex', 'Rex'],
      unreadable: 0,
    })
  })

  it.each([
    ['nothing', ['']],
    ['other text', ['hello']],
    ['other JSON', ['5.5 1 1 {}', '5.6 1 1 {"states":[]}']],
    ['a part without the one before', [`5.5 2 2 ${written('Rex')}`]],
    ['a change without what lists go by', [`5.5 1 1 ${written('Rex').replace('nameKey', 'key')}`]],
    ['a change of another kind', [`5.5 1 1 ${written('Rex').replace('created', 'sold')}`]],
  ])('that are %s are told of', (_, notifications) => {
    expect(read(...notifications)).toEqual({ names: [], unreadable: notifications.length })
  })
})

describe('a stream', () => {
  async function start(): Promise<{ feed: ChangeFeed; url: string }> {
    const feed = new ChangeFeed(async () => undefined)
    const { app } = await buildServer({
      database: {
        query: async () => [],
        run: async (statement) => statement(),
        changes: feed,
        failed: new Promise(() => undefined),
        close: async () => undefined,
      },
      authenticate: createAuthenticate([createKeySource([{ name: 'a', secret: 'key' }])]),
      config: readConfig({ LOG_LEVEL: 'silent', GRAPHIQL: 'false' }),
      trustedDocuments: new Map(),
      demoSecret: null,
      log: { write: () => undefined },
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => app.close())
    return { feed, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }
  }
  const query = 'subscription { petChanged { pet { id name } } }'

  it('whose reader goes away is forgotten', async () => {
    const { feed, url } = await start()
    const streams = await Promise.all(Array.from({ length: 10 }, () => subscribe(url, 'key', query)))
    expect(feed.size).toBe(10)
    for (const stream of streams) stream.abort()
    await vi.waitFor(() => expect(feed.size).toBe(0))
  })

  it('that is refused, or whose reader goes away before it begins, is forgotten', async () => {
    const { feed, url } = await start()
    const post = (accept: string, signal?: AbortSignal) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { authorization: 'Bearer key', 'content-type': 'application/json', accept },
        body: JSON.stringify({ query }),
        ...(signal && { signal }),
      })
    for (let time = 0; time < 20; time += 1) {
      expect((await post('application/json')).status).toBe(406)
      const controller = new AbortController()
      const answer = post('text/event-stream', controller.signal)
      setTimeout(() => controller.abort(), time % 8)
      await answer.then(
        (response) => response.body?.cancel(),
        () => undefined,
      )
    }
    await vi.waitFor(() => expect(feed.size).toBe(0))
  })

  it('that nobody reads is let go, and costs no memory', async () => {
    const { feed, url } = await start()
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).pause()
    const body = JSON.stringify({ query })
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await vi.waitFor(() => expect(feed.size).toBe(1))
    const name = 'x'.repeat(50_000)
    let published = 0
    while (feed.size > 0 && published < 10_000) {
      feed.publish(change((published += 1), name))
      // Lets the server write what it can.
      if (published % 100 === 0) await new Promise(setImmediate)
    }
    expect(published).toBeLessThan(10_000)
    socket.destroy()
  })
})
