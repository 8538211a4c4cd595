import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, it, vi } from 'vitest'
import { createContextFactory } from '../../../src/server/app.ts'
import type { Standbys } from '../../../src/db/standbys.ts'
import { ApiKey, type Scope } from '../../../src/keys/api-key.ts'
import { createFakeDatabase } from '../support/database.ts'

/** The context of a request. */
function create(isDemo = true, headers = {}) {
  const createContext = createContextFactory(createFakeDatabase(), isDemo)
  const request = { apiKey: { name: 'ann' }, headers, log: {} }
  // Nothing else of them is read.
  return createContext(request as unknown as FastifyRequest, { raw: {} } as unknown as FastifyReply)
}

it.each([
  ['the header of GraphiQL, on the demo', true, { 'x-graphiql': 'true' }, true],
  ['the header of GraphiQL, on another server', false, { 'x-graphiql': 'true' }, false],
  ['another header', true, { 'x-graphiql': 'false' }, false],
  ['no header', true, {}, false],
])("a request is one of the demo's own GraphiQL by %s", (_, isDemo, headers, expected) => {
  expect(create(isDemo, headers).isDemoGraphiql).toBe(expected)
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
  const request = { apiKey, headers: { 'cache-control': sent } } as unknown as FastifyRequest
  const reply = { raw: {} } as unknown as FastifyReply
  expect(createContext(request, reply).requestData.target).toBe(target)
  expect(targetFor.mock.calls).toEqual([[apiKey, expected]])
})
