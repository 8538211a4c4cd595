import { expect, it, vi } from 'vitest'
import { addWalPositions } from '../../../../src/db/events/add-wal-positions.ts'
import type { RowEvent } from '../../../../src/db/events/change-feed.ts'
import type { WalPosition } from '../../../../src/db/standbys/wal-position.ts'
import { createPetEvent } from '../../support/pet-event.ts'

interface Scene {
  feed: ReturnType<typeof addWalPositions>
  /** What was passed on. */
  published: RowEvent[]
  endAll: () => void
  /** The queries to the primary that have not been answered yet. */
  looks: PromiseWithResolvers<WalPosition>[]
}

function createScene(size = 1): Scene {
  const published: RowEvent[] = []
  const looks: PromiseWithResolvers<WalPosition>[] = []
  const endAll = vi.fn()
  const readPosition = () => {
    const look = Promise.withResolvers<WalPosition>()
    looks.push(look)
    return look.promise
  }
  const feed = addWalPositions({ size, endAll, publish: (event) => published.push(event) }, { readPosition })
  return { feed, published, endAll, looks }
}

const position = (lsn: bigint) => ({ timeline: 1, lsn, standby: null })
const [first, second, third] = [createPetEvent(1), createPetEvent(2), createPetEvent(3)] as const
const settle = () => new Promise(setImmediate)

it('an event waits for a position read after it; those that come meanwhile share the next one', async () => {
  const { feed, published, looks } = createScene()
  for (const event of [first, second, third]) feed.publish(event)
  expect(published).toEqual([])
  looks[0]?.resolve(position(5n))
  await settle()
  expect(published).toEqual([{ ...first, walPosition: position(5n) }])
  looks[1]?.resolve(position(7n))
  await settle()
  expect(published.slice(1)).toEqual(
    [second, third].map((event) => ({ ...event, walPosition: position(7n) })),
  )
  expect(looks).toHaveLength(2)
  feed.publish(first)
  expect(looks).toHaveLength(3)
})

it('if the position cannot be read, subscriptions end', async () => {
  const { feed, published, endAll, looks } = createScene()
  feed.publish(first)
  looks[0]?.reject(new Error('away'))
  await settle()
  expect(endAll).toHaveBeenCalledOnce()
  expect(published).toEqual([])
})

it('without subscribers, nothing is read', () => {
  const { feed, looks } = createScene(0)
  feed.publish(first)
  expect(looks).toEqual([])
})
