import { expect, it } from 'vitest'
import { Turns } from '../../../src/base/turns.ts'
import { createLongRequests } from '../../../src/graphql/long-requests.ts'

const LONG = 16 * 2 ** 10
const overloaded = { code: 'OVERLOADED', status: 503 }

/** Asks for turns of many requests at once. @returns how many of them began in each turn, and how many were refused */
async function begin(takeTurn: ReturnType<typeof createLongRequests>, count: number, key = 'client') {
  const turns: number[] = []
  let refused = 0
  let begun = 0
  const all = Array.from({ length: count }, async () => {
    try {
      await takeTurn(key, LONG)
      begun += 1
    } catch (error) {
      expect(error).toMatchObject(overloaded)
      refused += 1
    }
  })
  let before = 0
  while (begun + refused < count) {
    await new Promise((resolve) => setImmediate(resolve))
    turns.push(begun - before)
    before = begun
  }
  await Promise.all(all)
  return { turns, refused, begun }
}

it('a short request does not wait', () => {
  expect(createLongRequests()('client', 2_000)).toBeNull()
})

it('long requests begin a few in each turn', async () => {
  const { turns, refused } = await begin(createLongRequests(new Turns()), 100)
  expect(refused).toBe(0)
  // Two turns may pass between two looks.
  expect(Math.max(...turns)).toBeLessThan(70)
})

it('those of a key beyond 2 MB are refused, until others have begun, and another key still waits', async () => {
  const takeTurn = createLongRequests(new Turns())
  const [one, other] = await Promise.all([begin(takeTurn, 200), begin(takeTurn, 100, 'other')])
  expect([one.refused, other.refused]).toEqual([200 - 128, 0])
  expect((await begin(takeTurn, 100)).refused).toBe(0)
})
