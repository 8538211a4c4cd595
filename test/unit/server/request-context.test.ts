import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, it, vi } from 'vitest'
import { createRecord } from '../../../src/http/request-record.ts'
import { createContextFactory } from '../../../src/server/request-context.ts'
import type { Standbys } from '../../../src/db/standbys/standbys.ts'
import type { Scope } from '../../../src/base/scope.ts'
import { createFakeDatabase } from '../support/database.ts'

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
])(
  'standbys are asked for a target with the key (%s), and by Cache-Control: %s',
  (scope, cacheControl, expected) => {
    const database = createFakeDatabase()
    const target = { query: database.query }
    const targetFor = vi.fn(() => target)
    const standbys = { targetFor } as unknown as Standbys
    const createContext = createContextFactory({ ...database, standbys })
    const apiKey = { name: 'ann', scope, isValid: true }
    const record = { ...createRecord(), apiKey }
    const request = {
      record,
      headers: { 'cache-control': cacheControl },
      server: {},
    } as unknown as FastifyRequest
    const reply = { raw: {} } as unknown as FastifyReply
    expect(createContext(request, reply).requestData.target).toBe(target)
    expect(targetFor.mock.calls).toEqual([[apiKey, expected]])
  },
)
