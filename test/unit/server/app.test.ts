import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { expect, it, vi } from 'vitest'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { RequestMemory } from '../../../src/base/request-memory.ts'
import { OpenResponse } from '../../../src/http/memory-hooks.ts'
import { createContextFactory } from '../../../src/server/app.ts'
import type { Standbys } from '../../../src/db/standbys.ts'
import { ApiKey, type Scope } from '../../../src/keys/api-key.ts'
import { createFakeDatabase } from '../support/database.ts'

/** The context of a request, and the end of its connection. */
function create(isDemo = true, headers = {}, budget = new MemoryBudget()) {
  const createContext = createContextFactory(createFakeDatabase(), isDemo)
  const raw = Object.assign(new EventEmitter(), { closed: false })
  const response = new OpenResponse(raw as unknown as ServerResponse)
  const memory = new RequestMemory(budget, 'ann', response)
  const request = { apiKey: { name: 'ann' }, memory, headers, log: {} }
  // Nothing else of it is read.
  const context = createContext(request as unknown as FastifyRequest)
  const close = () => {
    raw.closed = true
    raw.emit('close')
  }
  return { context, close }
}

it.each([
  ['the header of GraphiQL, on the demo', true, { 'x-graphiql': 'true' }, true],
  ['the header of GraphiQL, on another server', false, { 'x-graphiql': 'true' }, false],
  ['another header', true, { 'x-graphiql': 'false' }, false],
  ['no header', true, {}, false],
])("a request is one of the demo's own GraphiQL by %s", (_, isDemo, headers, expected) => {
  expect(create(isDemo, headers).context.isDemoGraphiql).toBe(expected)
})

it('a response is closed for its requestData as well, which gives the common budget back what it held, and tells its listeners once', () => {
  const budget = new MemoryBudget()
  const { context, close } = create(true, {}, budget)
  const { response, requestData } = context
  const [before, after] = [vi.fn(), vi.fn()]
  response.onClose(before)
  requestData.memory.holdData(2 ** 20)
  const state = () => [response.isClosed, requestData.isGone, budget.held > 0]
  expect([state(), before.mock.calls]).toEqual([[false, false, true], []])
  close()
  close()
  response.onClose(after)
  expect(state()).toEqual([true, true, false])
  expect([before, after].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
})

it.each<[Scope, string | undefined, boolean]>([
  ['write', undefined, false],
  ['write', 'no-cache', true],
  ['read', undefined, false],
  ['read', 'no-store', false],
  ['read', 'max-age=00', false],
  ['read', 'max-age=01, xno-cache', false],
  ['read', 'no-cache', true],
  ['read', 'No-Transform,Max-Age=0', true],
  ['read', 'max-age=0 , no-transform', true],
])('standbys are asked for a target with the key (%s), and by Cache-Control: %s', (scope, sent, expected) => {
  const database = createFakeDatabase()
  const target = { query: database.query }
  const targetFor = vi.fn(() => target)
  const standbys = { targetFor } as unknown as Standbys
  const createContext = createContextFactory({ ...database, standbys }, false)
  const apiKey = new ApiKey('ann', scope)
  const request = { apiKey, memory: {}, headers: { 'cache-control': sent } } as unknown as FastifyRequest
  expect(createContext(request).requestData.target).toBe(target)
  expect(targetFor.mock.calls).toEqual([[apiKey, expected]])
})
