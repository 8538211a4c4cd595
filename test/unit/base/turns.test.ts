import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { GivenUpError } from '../../../src/base/service-error.ts'
import { Turns } from '../../../src/base/turns.ts'

/** The milliseconds that one turn may take. */
const TURN = 4

/** Work that notes when it has been done, on a clock of its own. */
function createScene() {
  let now = 0
  const turns = new Turns(() => now)
  const done: string[] = []
  const run = (name: string, { key = 'key', ms = TURN } = {}) =>
    turns.run(key, () => {
      done.push(name)
      now += ms
      return name
    })
  const fail = () =>
    turns.run('key', () => {
      throw new Error('no')
    })
  return { done, run, fail }
}

it('short work is done at once, until a turn has taken 4 ms', async () => {
  const { run, done } = createScene()
  for (let time = 0; time < 8; time += 1) void run('x', { ms: TURN / 8 })
  expect(done).toHaveLength(8)
  const next = run('next')
  expect(done).toHaveLength(8)
  expect(await next).toBe('next')
})

it('work that exceeds the time of a turn is done in the next ones, in order', async () => {
  const { run, done } = createScene()
  const all = ['a', 'b', 'c', 'd'].map((name) => run(name, { ms: TURN / 2 }))
  const turns = [[...done]]
  while (done.length < 4) {
    await setImmediate()
    turns.push(done.slice(turns.flat().length))
  }
  expect(turns).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
})

it('work of another key waits for only one piece of a busy key', async () => {
  const { run, done } = createScene()
  const others = ['a', 'b', 'c'].map((name) => run(name))
  await Promise.all([...others, run('d', { key: 'other' })])
  expect(done).toEqual(['a', 'b', 'd', 'c'])
})

it('work that fails in a later turn rejects, and other work is still done', async () => {
  const { run, fail } = createScene()
  void run('first')
  const failing = fail()
  const next = run('next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})

it('work that is added by a running piece waits for its end', async () => {
  const turns = new Turns()
  const outer = turns.run('key', () => [turns.run('key', () => 'inner')])
  expect(await (await outer)[0]).toBe('inner')
})

it('work in a later turn has the asynchronous context of its caller', async () => {
  const context = new AsyncLocalStorage<string>()
  // The time of each turn is over at once.
  let now = 0
  const turns = new Turns(() => (now += TURN))
  const pieces = ['a', 'b', 'c'].map((name) =>
    context.run(name, () => turns.run('key', () => context.getStore())),
  )
  expect(await Promise.all(pieces)).toEqual(['a', 'b', 'c'])
})

it('work that takes longer than a turn leaves the event loop to others before the next', async () => {
  const { run, done } = createScene()
  const all = ['a', 'b'].map((key) => run(key, { key, ms: 10 * TURN }))
  expect(done).toEqual(['a'])
  await setImmediate()
  expect(done).toEqual(['a', 'b'])
  await Promise.all(all)
})

it('at most 250 pieces of work of one key wait, and those of other keys are not affected', async () => {
  const { run } = createScene()
  const all = Array.from({ length: 251 }, (_, index) => run(String(index)))
  await expect(run('one more')).rejects.toMatchObject({ code: 'OVERLOADED', cause: 'turns' })
  all.push(run('other', { key: 'other' }))
  await Promise.all(all)
  expect(await run('again')).toBe('again')
})

it('work is not done if its client has gone when its turn has come', async () => {
  const turns = new Turns()
  let isGone = false
  const first = turns.run('key', () => {
    const start = performance.now()
    while (performance.now() - start < TURN);
  })
  const done: string[] = []
  const work = (name: string) => () => done.push(name)
  const left = turns.run('key', work('left'), () => isGone)
  const stayed = turns.run('key', work('stayed'))
  isGone = true
  await expect(left).rejects.toBeInstanceOf(GivenUpError)
  await Promise.all([first, stayed])
  expect(done).toEqual(['stayed'])
})
