import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { EVENTS, inOneStep, type Job, Turns } from '../../../src/base/turns.ts'

/** What one turn may write. */
const TURN = 512 * 2 ** 10

/** Jobs that note when one of their steps has been done. */
function createScene() {
  const turns = new Turns()
  const done: string[] = []
  function* work(name: string, steps: number, bytes: number): Job<string> {
    for (let step = 1; step <= steps; step += 1) {
      done.push(`${name}${step}`)
      yield bytes
    }
    return name
  }
  return {
    done,
    run: (name: string, { lane = 'key', steps = 1, bytes = TURN } = {}) =>
      turns.run(lane === 'events' ? EVENTS : lane, work(name, steps, bytes)),
    fail: () =>
      turns.run(
        'key',
        inOneStep(() => {
          throw new Error('no')
        }),
      ),
  }
}

it('small texts are written at once, until a turn has written 512 kB', async () => {
  const { run, done } = createScene()
  for (let time = 0; time < 8; time += 1) void run('x', { bytes: TURN / 8 })
  expect(done).toHaveLength(8)
  const next = run('next')
  expect(done).toHaveLength(8)
  expect(await next).toBe('next')
})

it('a turn that has written enough leaves the rest to the next, in order', async () => {
  const { run, done } = createScene()
  const all = [run('a', { steps: 3, bytes: TURN / 2 }), run('b', { steps: 2 })]
  const turns = [[...done]]
  while (done.length < 5) {
    await setImmediate()
    turns.push(done.slice(turns.flat().length))
  }
  expect(turns).toEqual([['a1', 'a2'], ['a3', 'b1'], ['b2']])
  expect(await Promise.all(all)).toEqual(['a', 'b'])
})

it('a job of another key waits for one job of a busy key, and those of all events for one of each', async () => {
  const { run, done } = createScene()
  const others = ['a', 'b', 'c'].map((name) => run(name))
  const events = ['d', 'e'].map((name) => run(name, { lane: 'events' }))
  await Promise.all([...others, ...events, run('f', { lane: 'other' })])
  expect(done).toEqual(['a1', 'b1', 'd1', 'f1', 'c1', 'e1'])
})

it('what fails in a later turn rejects, and the others are run', async () => {
  const { run, fail } = createScene()
  void run('first')
  const failing = fail()
  const next = run('next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})

it('a job that is begun while another does its step waits for it', async () => {
  const turns = new Turns()
  const inner = inOneStep(() => 'inner')
  const outer = turns.run(
    'key',
    inOneStep(() => [turns.run('key', inner)]),
  )
  expect(await (await outer)[0]).toBe('inner')
})
