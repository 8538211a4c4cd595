import type { FastifyRequest } from 'fastify'
import { GraphQLError, parse } from 'graphql'
import { describe, expect, it, vi } from 'vitest'
import { Session } from '../../../src/db/session.ts'
import { limitAnswer } from '../../../src/graphql/answer-size.ts'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { FastPath } from '../../../src/graphql/fast-path.ts'
import type { Context } from '../../../src/graphql/schema/context.ts'
import { schema } from '../../../src/server/schema.ts'
import { MAX_ANSWER, MemoryBudget } from '../../../src/base/memory-budget.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createYogaClient } from '../support/yoga.ts'

/** The memory of an answer that is made of this many bytes. */
function memoryOf(data: number, budget = new MemoryBudget()) {
  const memory = budget.open({ isClosed: false, onClose: () => undefined })
  memory.holdData(data)
  return memory
}

/** What a text is taken for. */
function measure(data: unknown): number {
  const memory = memoryOf(100_000)
  const hold = vi.spyOn(memory, 'tryHoldText')
  limitAnswer({ data }, memory)
  return hold.mock.calls[0]?.[0] ?? 0
}

describe('the text of an answer', () => {
  it.each<[string, unknown]>([
    ['ASCII', 'x'.repeat(60_000)],
    ['ASCII in names of 999', Array.from({ length: 60 }, () => 'x'.repeat(999))],
    ['quotes', '"'.repeat(60_000)],
    ['control characters', '\u0001'.repeat(60_000)],
    ['other languages', '語'.repeat(60_000)],
    ['emoji', '🐕'.repeat(30_000)],
    ['control characters in names of 999', Array.from({ length: 60 }, () => '\u0001'.repeat(999))],
    ['control characters in short names', Array.from({ length: 100 }, () => '\u0001'.repeat(99))],
    ['long aliases', { ['a'.repeat(10_000)]: null }],
    ['pages', { pets: { nodes: Array.from({ length: 100 }, (_, id) => ({ id, name: 'Rex', ok: true })) } }],
  ])('is counted as it is sent, or a little more: %s', (_, data) => {
    const bytes = Buffer.byteLength(JSON.stringify(data))
    expect(measure(data)).toBeGreaterThan(bytes * 0.99)
    expect(measure(data)).toBeLessThanOrEqual(Math.max(2_000, bytes * 1.8))
  })

  it('counts as often as it is sent', () => {
    const name = 'x'.repeat(60_000)
    expect(measure({ a: { name }, b: [{ name }, { name }] })).toBeGreaterThan(3 * 60_000)
  })

  it('may be nested deeply', () => {
    let data: unknown = 'x'
    for (let level = 0; level < 100_000; level += 1) data = [data]
    expect(measure(data)).toBeGreaterThan(0)
  })

  it('is not counted if the data are small', () => {
    const memory = memoryOf(10_000)
    const hold = vi.spyOn(memory, 'tryHoldText')
    expect(limitAnswer({ data: 'x'.repeat(MAX_ANSWER) }, memory)).toBeNull()
    expect(hold).not.toHaveBeenCalled()
  })

  it('may be of errors alone', () => {
    expect(limitAnswer({}, memoryOf(100_000))).toBeNull()
  })
})

describe('an answer', () => {
  /** The memory of an answer whose text may have 10,000 bytes more. */
  function almostFull() {
    const memory = memoryOf(100_000)
    memory.tryHoldText(MAX_ANSWER - 10_000)
    return memory
  }

  it('of up to 16 MB is left as it is', () => {
    expect(limitAnswer({ data: { first: 'x'.repeat(9_900) } }, almostFull())).toBeNull()
  })

  it.each<[string, object]>([
    ['in one name', { first: 'x'.repeat(10_000), second: null }],
    ['in several fields', { first: 'x'.repeat(5_000), second: { name: 'x'.repeat(5_000) } }],
    ['by escapes', { first: '\u0001'.repeat(2_000), second: null }],
  ])('of more is an error of its first field: %s', (_, data) => {
    const limited = limitAnswer({ data }, almostFull())
    expect(limited?.data).toBeNull()
    expect(limited?.errors).toHaveLength(1)
    expect(limited?.errors[0]).toBeInstanceOf(GraphQLError)
    expect(limited?.errors[0]).toMatchObject({
      path: ['first'],
      cause: { code: 'RESPONSE_TOO_LARGE' },
      message: 'The response would be too large: request fewer pets at a time.',
    })
  })

  it('is an error, too, if all answers hold too much', () => {
    const budget = new MemoryBudget()
    const memory = memoryOf(100_000, budget)
    budget.take(96 * 2 ** 20 - 100_000)
    expect(limitAnswer({ data: { first: 'x' } }, memory)?.errors).toMatchObject([
      { path: ['first'], cause: { code: 'OVERLOADED' } },
    ])
  })
})

describe('the fast path and Yoga answer the same', () => {
  const ACCEPT = 'application/graphql-response+json'
  const name = 'x'.repeat(2 ** 20)
  const database = createFakeDatabase(() => [['1', name, '7', null]])

  /** The context of a request while all other answers hold some bytes. */
  function createContextBeside(held: number) {
    const connection = { isClosed: false, onClose: () => undefined }
    const budget = new MemoryBudget()
    budget.take(held)
    return createContext(database, {
      session: new Session(database, 'client', budget.open(connection), connection),
    })
  }

  async function askFastPath(query: string, context: Context) {
    const queries = new CompiledQueries(schema, 4_000)
    for (let time = 0; time < 2; time += 1) queries.note(query, parse(query))
    const allowsOthers = () => true
    const fastPath = new FastPath(queries, { documents: new Map(), allowsOthers, hidesSuggestions: false })
    fastPath.learn(ACCEPT, new Response(null, { headers: { 'content-type': ACCEPT } }))
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', url: '/graphql', headers, body: JSON.stringify({ query }) }
    // The fast path reads nothing else of it.
    const fastRequest = fastPath.read(request as FastifyRequest, context)
    const answer = fastRequest && (await fastPath.answer(fastRequest, ACCEPT, context))
    return (
      answer && { ...answer, headers: new Headers(answer.headers), body: JSON.parse(answer.body) as unknown }
    )
  }

  it.each<[string, number, number, number, string | undefined]>([
    ['with the data', 15, 0, 200, undefined],
    ['that the answer is too large', 16, 0, 200, 'RESPONSE_TOO_LARGE'],
    ['that there are too many answers', 15, 90 * 2 ** 20, 503, 'OVERLOADED'],
  ])('%s', async (_, count, held, status, code) => {
    const names = Array.from({ length: count }, (_, index) => `n${index}: name`)
    const query = `{ first: pet(id: 1) { ${names.join(' ')} } second: pet(id: 2) { id } }`
    const answers = [
      await createYogaClient().post({ query }, createContextBeside(held)),
      await askFastPath(query, createContextBeside(held)),
    ]
    const errors = code && [{ message: expect.any(String) as string, path: ['first'], extensions: { code } }]
    for (const answer of answers) {
      expect(answer?.status).toBe(status)
      expect(answer?.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
      // In the same order: both are compared to the byte elsewhere.
      expect(Object.keys(answer?.body ?? {})).toEqual(errors ? ['errors', 'data'] : ['data'])
      const { data, ...others } = answer?.body as { data: { first: object } | null }
      expect(others).toEqual(errors ? { errors } : {})
      expect(data && Object.keys(data.first)).toEqual(errors ? null : names.map((_, index) => `n${index}`))
    }
  })
})
