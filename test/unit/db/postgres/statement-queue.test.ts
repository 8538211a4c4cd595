import { expect, it } from 'vitest'
import { type QueuedStatement, StatementQueue } from '../../../../src/db/postgres/statement-queue.ts'

it('statements that wait again keep their order, so that none outlives its deadline', () => {
  const queue = new StatementQueue()
  const ended: string[] = []
  const enqueue = (name: string, queuedAt: number): QueuedStatement => {
    const queued: QueuedStatement = {
      statement: { name: 'test', text: name, parameters: [], prepare: false },
      ...{ owner: null, callers: 1, queuedAt, deadline: queuedAt + 8_000 },
      ...{ sentAt: null, wasRefused: false, isEnded: false },
      end: () => ended.push(name),
    }
    queue.enqueue(queued)
    return queued
  }
  const [first, second] = [enqueue('first', 0), enqueue('second', 5_000)]
  enqueue('third', 6_000)
  queue.dequeue(10)
  queue.dequeue(10)
  queue.requeue(first)
  queue.requeue(second)
  expect(queue.expire(9_000)).toBe(13_000)
  expect(ended).toEqual(['first'])
  expect(queue.dequeue(10)).toBe(second)
})
