/** Calls of one turn of the event loop, joined. */
import { expect, it } from 'vitest'
import { createBatch } from '../../src/db/batch.ts'

const database = {
  run: async <Result>(statement: () => PromiseLike<Result>) => statement(),
  query: async () => [],
}

/** Answers each call by itself, and remembers what it was asked together. */
function record(answer: (calls: readonly number[]) => number[] = (calls) => [...calls]) {
  const batches: number[][] = []
  const ask = createBatch<number, number>(async (_, calls) => {
    batches.push([...calls])
    return answer(calls)
  })
  return { batches, ask }
}

const refusal = (code: string) => Object.assign(new Error('refused'), { code })
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('joins the calls of one turn, and answers each of them', async () => {
  const { batches, ask } = record()
  expect(await Promise.all([3, 1, 3, 2].map((call) => ask(database, call)))).toEqual([3, 1, 3, 2])
  expect(batches).toEqual([[3, 1, 3, 2]])
})

it('sends what is asked later by itself, and keeps no answer', async () => {
  const { batches, ask } = record()
  const first = ask(database, 1)
  await turn()
  expect(await Promise.all([first, ask(database, 1)])).toEqual([1, 1])
  expect(batches).toEqual([[1], [1]])
})

it('does not join what is asked of different databases', async () => {
  const { batches, ask } = record()
  await Promise.all([ask(database, 1), ask({ ...database }, 2)])
  expect(batches).toEqual([[1], [2]])
})

it('bounds what is joined', async () => {
  const { batches, ask } = record()
  const calls = Array.from({ length: 250 }, (_, index) => index)
  expect(await Promise.all(calls.map((call) => ask(database, call)))).toEqual(calls)
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50])
})

it('runs each alone when the values of one are refused', async () => {
  const { batches, ask } = record((calls) => {
    if (calls.includes(2)) throw refusal('23514')
    return [...calls]
  })
  const outcomes = await Promise.allSettled([1, 2, 3].map((call) => ask(database, call)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(batches).toEqual([[1, 2, 3], [1], [2], [3]])
})

it.each(['CONNECTION_CLOSED', '57014', '40P01', '42703'])(
  'fails all of them, and runs none again, after %s',
  async (code) => {
    const { batches, ask } = record(() => {
      throw refusal(code)
    })
    const outcomes = await Promise.allSettled([1, 2].map((call) => ask(database, call)))
    expect(outcomes).toMatchObject([{ reason: { code } }, { reason: { code } }])
    expect(batches).toEqual([[1, 2]])
  },
)

it('fails all of them when there are fewer answers than calls', async () => {
  const { ask } = record(() => [1])
  const outcomes = await Promise.allSettled([1, 2].map((call) => ask(database, call)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
