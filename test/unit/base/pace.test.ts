import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Pace } from '../../../src/base/pace.ts'

/** Work in pieces, each of which notes its name. */
function createScene(perIteration: number) {
  const pace = new Pace(perIteration)
  const done: string[] = []
  function* pieces(name: string, count: number) {
    for (let piece = 0; piece < count; piece += 1) yield done.push(name)
  }
  return { pace, done, run: (name: string, count: number) => pace.run(pieces(name, count)) }
}

it('work is done at once as far as it fits, and the rest in later iterations of the event loop', async () => {
  const { done, run } = createScene(3)
  const all = run('a', 7)
  const counts = [done.length]
  while (done.length < 7) {
    await setImmediate()
    counts.push(done.length)
  }
  expect(counts).toEqual([3, 6, 7])
  await all
})

it('work alternates, so that what is short does not wait for what is long', async () => {
  const { done, run } = createScene(2)
  await Promise.all([run('a', 6), run('b', 1), run('c', 2)])
  expect(done.join('')).toMatch(/^a+ba?ca?caa+$/)
  expect(done).toHaveLength(9)
})

it('work that fails is rejected, and the others go on', async () => {
  const { pace, done, run } = createScene(2)
  function* failing() {
    yield done.push('x')
    throw new Error('It fails')
  }
  const failed = expect(pace.run(failing())).rejects.toThrow('It fails')
  await run('a', 3)
  await failed
  expect(done.toSorted().join('')).toBe('aaax')
})

it('work that a piece brings is done in its turn', async () => {
  const { pace, done, run } = createScene(100)
  let inner: Promise<void> | undefined
  function* outer() {
    inner = run('inner', 2)
    yield done.push('outer')
    yield done.push('outer')
  }
  await pace.run(outer())
  await inner
  expect(done).toEqual(['outer', 'inner', 'outer', 'inner'])
})
