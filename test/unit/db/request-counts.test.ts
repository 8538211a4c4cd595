/** Counting on a scripted database; test/service/http/shared-rate-limits.test.ts has two servers and a Postgres. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RequestCounts } from '../../../src/db/request-counts.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { createFakeDatabase } from '../support/database.ts'

const unavailable = { code: 'DATABASE_UNAVAILABLE' }
let statements: Statement[]
let answers: PromiseWithResolvers<TextRow[]>[]
let counts: RequestCounts
let problems: string[]

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'performance'],
  })
  statements = []
  answers = []
  problems = []
  const database = createFakeDatabase()
  database.query = (statement) => {
    statements.push(statement)
    const answer = Promise.withResolvers<TextRow[]>()
    answers.push(answer)
    return answer.promise
  }
  counts = new RequestCounts(database, (reason) => problems.push(reason))
  return () => counts.close()
})
afterEach(() => void vi.useRealTimers())

/** Counts a request of each key. What becomes of those that a test does not look at is not an error. */
function count(...keys: string[]): Promise<unknown>[] {
  return keys.map((key) => {
    const counted = counts.count(key, 60)
    counted.catch(() => undefined)
    return counted
  })
}
const nextTurn = () => vi.advanceTimersByTimeAsync(1)

it('requests of one turn are one statement, and those of a key count one after the other', async () => {
  const counted = count('ann', 'bob', 'ann')
  await nextTurn()
  expect(statements.map(({ parameters }) => parameters)).toEqual([['{"ann","bob"}', '{2,1}', '{60,60}']])
  answers[0]?.resolve([
    ['bob', '1', '59000'],
    ['ann', '7', '1000'],
  ])
  expect(await Promise.all(counted)).toMatchObject([
    { requests: 6, msLeft: 1000 },
    { requests: 1, msLeft: 59_000 },
    { requests: 7, msLeft: 1000 },
  ])
})

it('the reason that the database cannot count is reported once, until it can again', async () => {
  for (const reason of ['permission denied', 'still', 'still']) {
    void count('ann')
    await nextTurn()
    answers.at(-1)?.reject(new Error(reason))
    await vi.advanceTimersByTimeAsync(1_100)
  }
  expect(problems).toEqual(['permission denied'])
  answers.at(-1)?.resolve([])
  await nextTurn()
  void count('ann')
  await nextTurn()
  answers.at(-1)?.reject(new Error('again'))
  await nextTurn()
  expect(problems).toEqual(['permission denied', 'again'])
})

it('one statement runs at a time, and the next counts all requests that arrived meanwhile', async () => {
  void count('ann')
  await nextTurn()
  void count('ann')
  await nextTurn()
  void count('ann', 'bob')
  await nextTurn()
  expect(statements).toHaveLength(1)
  answers[0]?.resolve([['ann', '1', '1']])
  await nextTurn()
  expect(statements[1]?.parameters[1]).toBe('{2,1}')
})

it('a silent database is waited for half a second, once, and then not until it has answered', async () => {
  const first = count('ann')
  await vi.advanceTimersByTimeAsync(300)
  const second = count('ann')
  await vi.advanceTimersByTimeAsync(201)
  for (const waiting of [...first, ...second, ...count('ann')])
    await expect(waiting).rejects.toMatchObject(unavailable)
  expect(statements).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(5_000)
  for (const waiting of count('ann')) await expect(waiting).rejects.toMatchObject(unavailable)
  expect(statements.map(({ parameters }) => parameters[0])).toEqual(['{"ann"}', '{}'])
  answers[1]?.resolve([])
  await nextTurn()
  void count('ann')
  await nextTurn()
  expect(statements).toHaveLength(3)
})

it('a request waits for half a second in all, for the statement before and for its own', async () => {
  void count('ann')
  await vi.advanceTimersByTimeAsync(300)
  const [second] = count('bob')
  const onFailure = vi.fn()
  second?.catch(onFailure)
  await vi.advanceTimersByTimeAsync(100)
  answers[0]?.resolve([['ann', '1', '1']])
  await vi.advanceTimersByTimeAsync(390)
  expect(statements).toHaveLength(2)
  expect(onFailure).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(20)
  expect(onFailure).toHaveBeenCalledWith(expect.objectContaining(unavailable))
})

it('an unreachable database is retried every second, with a statement that counts nothing', async () => {
  const [first] = count('ann')
  await nextTurn()
  answers[0]?.reject(new ServiceError('DATABASE_UNAVAILABLE'))
  await expect(first).rejects.toMatchObject(unavailable)
  await vi.advanceTimersByTimeAsync(1_001)
  expect(statements[1]?.parameters).toEqual(['{}', '{}', '{}'])
  await expect(count('ann')[0]).rejects.toMatchObject(unavailable)
  answers[1]?.resolve([])
  await nextTurn()
  void count('ann')
  await nextTurn()
  expect(statements[2]?.parameters[0]).toBe('{"ann"}')
})

it('expired counts are deleted once a minute, but not while the database is away', async () => {
  const deletions = () => statements.filter(({ name }) => name === 'deleteRequestCounts').length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(deletions()).toBe(1)
  void count('ann')
  await nextTurn()
  answers.at(-1)?.reject(new ServiceError('DATABASE_UNAVAILABLE'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(deletions()).toBe(1)
})
