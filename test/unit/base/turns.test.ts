import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Turns } from '../../../src/base/turns.ts'

/** What one turn may write. */
const TURN = 512 * 2 ** 10

it('small texts are written at once, until a turn has written 512 kB', async () => {
  const turns = new Turns()
  for (let time = 0; time < 8; time += 1) expect(turns.run(() => 'x'.repeat(TURN / 8))).toHaveLength(TURN / 8)
  const next = turns.run(() => 'next')
  expect([next, turns.isBusy]).toEqual([expect.any(Promise), true])
  expect(await next).toBe('next')
  expect([turns.run(() => 'at once'), turns.isBusy]).toEqual(['at once', false])
})

it('a turn that has written enough leaves the rest to the next, in order', async () => {
  const turns = new Turns()
  const written: number[] = []
  const text = 'x'.repeat(TURN)
  const all = [1, 2, 3].map(async (number) =>
    turns.run(() => {
      written.push(number)
      return text
    }),
  )
  expect(written).toEqual([1])
  await setImmediate()
  expect(written).toEqual([1, 2])
  await Promise.all(all)
  expect(written).toEqual([1, 2, 3])
})

it('what fails in a later turn rejects, and the others are run', async () => {
  const turns = new Turns()
  void turns.run(() => 'x'.repeat(TURN))
  const failing = turns.run(() => {
    throw new Error('no')
  })
  const next = turns.run(() => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})
