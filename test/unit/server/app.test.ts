import { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, it, vi } from 'vitest'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { createContextFactory } from '../../../src/server/app.ts'
import { createFakeDatabase } from '../support/database.ts'

const database = createFakeDatabase()
const log = {}

/** The context of a request, and the end of its connection. */
function create(createContext = createContextFactory(database, new MemoryBudget(), true), headers = {}) {
  const raw = Object.assign(new EventEmitter(), { closed: false })
  const request = { apiKey: { name: 'ann' }, memory: null, headers, log }
  // Nothing else of them is read.
  const context = createContext(request as unknown as FastifyRequest, { raw } as unknown as FastifyReply)
  const close = () => {
    raw.closed = true
    raw.emit('close')
  }
  return { context, close }
}

it('a context knows its request: its key, its log and its database', () => {
  const { context } = create()
  expect(context).toMatchObject({ apiKey: { name: 'ann' }, requestData: { database, clientName: 'ann' } })
  expect(context.log).toBe(log)
})

it.each([
  ['the header of GraphiQL, on the demo', true, { 'x-graphiql': 'true' }, true],
  ['the header of GraphiQL, on another server', false, { 'x-graphiql': 'true' }, false],
  ['another header', true, { 'x-graphiql': 'false' }, false],
  ['no header', true, {}, false],
])("a request is one of the demo's own GraphiQL by %s", (_, isDemo, headers, expected) => {
  expect(
    create(createContextFactory(database, new MemoryBudget(), isDemo), headers).context.isDemoGraphiql,
  ).toBe(expected)
})

it('a response is closed for its requestData as well, and tells its listeners once', () => {
  const { context, close } = create()
  const [before, after] = [vi.fn(), vi.fn()]
  context.response.onClose(before)
  expect([context.response.isClosed, context.requestData.isGone, before.mock.calls]).toEqual([
    false,
    false,
    [],
  ])
  close()
  close()
  context.response.onClose(after)
  expect([context.response.isClosed, context.requestData.isGone]).toEqual([true, true])
  expect([before, after].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
})

it('the answers of all requests share one budget, which gets back what a closed response held', () => {
  const createContext = createContextFactory(database, new MemoryBudget(), false)
  const open = () => create(createContext)
  const largest = open()
  largest.context.requestData.memory.holdData(16 * 2 ** 20)
  const overloaded = expect.objectContaining({ code: 'OVERLOADED' }) as Error
  expect(() => open().context.requestData.memory.holdData(100_000)).toThrow(overloaded)
  largest.close()
  open().context.requestData.memory.holdData(100_000)
})
