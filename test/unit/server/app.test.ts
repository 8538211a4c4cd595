import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { expect, it, vi } from 'vitest'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { RequestMemory } from '../../../src/base/request-memory.ts'
import { OpenResponse } from '../../../src/http/memory-hooks.ts'
import { createContextFactory } from '../../../src/server/app.ts'
import { createFakeDatabase } from '../support/database.ts'

const database = createFakeDatabase()
const log = {}

/** The context of a request, and the end of its connection. */
function create(createContext = createContextFactory(database, true), headers = {}) {
  const raw = Object.assign(new EventEmitter(), { closed: false })
  const memory = new RequestMemory(
    new MemoryBudget(),
    'ann',
    new OpenResponse(raw as unknown as ServerResponse),
  )
  const request = { apiKey: { name: 'ann' }, memory, headers, log }
  // Nothing else of it is read.
  const context = createContext(request as unknown as FastifyRequest)
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
  expect(create(createContextFactory(database, isDemo), headers).context.isDemoGraphiql).toBe(expected)
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
