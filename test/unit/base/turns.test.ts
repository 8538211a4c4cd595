import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { EVENTS, type Steps, Turns } from '../../../src/base/turns.ts'

/** The milliseconds that one turn may take. */
const TURN = 4

/** Jobs that note when one of their steps has been done, on a clock of their own. */
function createScene() {
  let now = 0
  const turns = new Turns(() => now)
  const done: string[] = []
  function* work(name: string, steps: number, ms: number): Steps<string> {
    for (let step = 1; step <= steps; step += 1) {
      done.push(`${name}${step}`)
      now += ms
      if (step < steps) yield
    }
    return name
  }
  return {
    done,
    run: (name: string, { lane = 'key', steps = 1, ms = TURN } = {}) =>
      turns.runSteps(lane === 'events' ? EVENTS : lane, work(name, steps, ms)),
    fail: () =>
      turns.run('key', () => {
        throw new Error('no')
      }),
  }
}

it('short work is done at once, until a turn has taken 4 ms', async () => {
  const { run, done } = createScene()
  for (let time = 0; time < 8; time += 1) void run('x', { ms: TURN / 8 })
  expect(done).toHaveLength(8)
  const next = run('next')
  expect(done).toHaveLength(8)
  expect(await next).toBe('next')
})

it('a turn that has taken long enough leaves the rest to the next, in order', async () => {
  const { run, done } = createScene()
  const all = [run('a', { steps: 3, ms: TURN / 2 }), run('b', { steps: 2 })]
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

it('what is begun while another does its step waits for it', async () => {
  const turns = new Turns()
  const outer = turns.run('key', () => [turns.run('key', () => 'inner')])
  expect(await (await outer)[0]).toBe('inner')
})

it('work that takes longer than a turn leaves the event loop to others before the next', async () => {
  const { run, done } = createScene()
  const all = ['a', 'b'].map((lane) => run(lane, { lane, ms: 10 * TURN }))
  expect(done).toEqual(['a1'])
  await setImmediate()
  expect(done).toEqual(['a1', 'b1'])
  await Promise.all(all)
})
