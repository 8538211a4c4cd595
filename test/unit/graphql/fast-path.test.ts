import type { FastifyRequest } from 'fastify'
import { GraphQLError, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/base/errors.ts'
import { CompiledQueries, type CompiledQuery } from '../../../src/graphql/compiled-queries.ts'
import { type FastRequest, FastPath } from '../../../src/graphql/fast-path.ts'
import { schema } from '../../../src/server/schema.ts'
import { identifyDocument } from '../../../src/graphql/trusted-documents.ts'
import { createContext } from '../support/context.ts'

const query = 'query Pet($id: ID!) { pet(id: $id) { name } }'
const nameless = '{ pet(id: 1) { name } }'
const documentId = identifyDocument(query)
const unknown = 'query Other { pet(id: 1) { name } }'

const queries = new CompiledQueries(schema, 2_000)
for (const text of [query, query, nameless, nameless, unknown]) queries.recordExecution(text, parse(text))

const createFastPath = (allowsOthers = true) =>
  new FastPath(queries, {
    documents: new Map([
      [documentId, query],
      [identifyDocument(unknown), unknown],
    ]),
    allowsOthers: () => allowsOthers,
    hidesSuggestions: false,
  })

/** Reads a request that is plain except for `parts`. */
function read(body: unknown, parts: object = {}, fastPath = createFastPath()): FastRequest | null {
  const request = {
    method: 'POST',
    url: '/graphql',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...parts,
  }
  // The fast path reads nothing else of it.
  return fastPath.read(request as FastifyRequest, createContext())
}

describe('the fast path takes', () => {
  it.each<[string, object, object]>([
    ['a compiled query', { query }, {}],
    ['its variables', { query, variables: { id: '1', more: [1] } }, { id: '1', more: [1] }],
    ['no variables', { query, variables: null }, {}],
    ['the name of its operation', { query, operationName: 'Pet' }, {}],
    ['no name of an operation', { query, operationName: null }, {}],
    ['a query without a name', { query: nameless }, {}],
    ['no document id', { query, documentId: null }, {}],
    ['the id of a trusted document', { documentId, variables: { id: '1' } }, { id: '1' }],
    ['the id of a trusted document, and no query', { documentId, query: null }, {}],
    ['extensions', { query, extensions: { client: 'x' } }, {}],
    ['no extensions', { query, extensions: null }, {}],
    ['the largest exact number', { query, variables: { id: 2 ** 53 - 1 } }, { id: 2 ** 53 - 1 }],
  ])('%s', (_, body, variables) => {
    expect(read(body)).toEqual({ query: expect.any(Object), variables })
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
    'Application/JSON; Charset=UTF-8',
  ])('the media type %s', (type) => {
    expect(read({ query }, { headers: { 'content-type': type } })).not.toBeNull()
  })

  it('a trusted document where no others are allowed', () => {
    expect(read({ documentId }, {}, createFastPath(false))).not.toBeNull()
  })
})

describe('the fast path leaves to Yoga', () => {
  it.each<[string, unknown]>([
    ['a query that is not compiled', { query: unknown }],
    ['a query that was never executed', { query: `${query} ` }],
    ['a trusted document that is not compiled', { documentId: identifyDocument(unknown) }],
    ['an unknown document id', { documentId: 'sha256:x' }],
    ['a document id that is not a string', { documentId: 5 }],
    ['a query and a document id', { query, documentId }],
    ['an empty query and a document id', { query: '', documentId }],
    ['a query that is not a string', { query: [query] }],
    ['no query', {}],
    ['the name of another operation', { query, operationName: 'Cat' }],
    ['an empty name of an operation', { query, operationName: '' }],
    ['a name that is not a string', { query, operationName: 5 }],
    ['a name for a query without one', { query: nameless, operationName: 'Pet' }],
    ['variables that are text', { query, variables: '{}' }],
    ['variables that are a list', { query, variables: [] }],
    ['variables that are false', { query, variables: false }],
    ['a number that JSON has rounded', { query, variables: { id: 2 ** 53 } }],
    ['such a number, deeply nested', { query, variables: { id: '1', more: { deep: [-(2 ** 53)] } } }],
    ['a persisted query', { query, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }],
    ['no persisted query', { query, extensions: { persistedQuery: null } }],
    ['extensions that are a list', { query, extensions: [] }],
    ['extensions that are text', { query, extensions: 'x' }],
    ['an unknown parameter', { query, more: null }],
    ['a list of requests', [{ query }]],
    ['null', null],
    ['no JSON', '{'],
    ['an empty body', ''],
  ])('%s', (_, body) => expect(read(body)).toBeNull())

  it.each([
    ['GET', { method: 'GET' }],
    ['a query string', { url: '/graphql?query=x' }],
    ['an empty query string', { url: '/graphql?' }],
    ['no body', { body: undefined }],
    ['a body that is not decoded', { body: Buffer.from('{}') }],
    ['no media type', { headers: {} }],
    ['another media type', { headers: { 'content-type': 'text/plain' } }],
    ['a longer media type', { headers: { 'content-type': 'application/jsonx' } }],
    ['another charset', { headers: { 'content-type': 'application/json; charset=latin1' } }],
    [
      'a parameter besides the charset',
      { headers: { 'content-type': 'application/json; charset=utf-8; x=y' } },
    ],
  ])('%s', (_, parts) => expect(read({ query }, parts)).toBeNull())

  it('any query where only trusted documents are allowed', () => {
    expect(read({ query }, {}, createFastPath(false))).toBeNull()
  })
})

describe('the answer', () => {
  const JSON_TYPE = 'application/json; charset=utf-8'
  type Result = Awaited<ReturnType<CompiledQuery['run']>>

  function respond(type: string | null, status = 200): Response {
    const response = new Response(null, { status })
    if (type !== null) response.headers.set('content-type', type)
    return response
  }

  /** Runs a query with a result, on a fast path that has learned the media type for an Accept header. */
  async function answer(result: Result, context = createContext()) {
    const fastPath = createFastPath()
    fastPath.learn('*/*', respond(JSON_TYPE))
    const query = { operationName: undefined, run: async () => result }
    const answer = await fastPath.answer({ query, variables: {} }, '*/*', context)
    if (!answer) return null
    const { status, headers, result: sent } = answer
    return { status, headers, body: JSON.stringify(sent) }
  }

  it('has the data of the query', async () => {
    expect(await answer({ data: { pet: null } })).toEqual({
      status: 200,
      headers: { 'content-type': JSON_TYPE },
      body: '{"data":{"pet":null}}',
    })
  })

  it('is left to Yoga if the variables are invalid', async () => {
    expect(await answer(null)).toBeNull()
  })

  it('has errors first, and status 200 if they are about the request', async () => {
    const error = new ServiceError('INVALID_VALUE', 'first is wrong.', {
      problems: [{ argument: 'first', message: 'first is wrong.' }],
    })
    const problem = '{"argument":"first","message":"first is wrong."}'
    expect(await answer({ errors: [wrap(error)], data: null })).toEqual({
      status: 200,
      headers: { 'content-type': JSON_TYPE },
      body: `{"errors":[{"message":"first is wrong.","path":["pets"],"extensions":{"code":"INVALID_VALUE","argument":"first","problems":[${problem}]}}],"data":null}`,
    })
  })

  it('has status 503 and Retry-After if the database is unavailable', async () => {
    const errors = [wrap(new ServiceError('DATABASE_UNAVAILABLE'))]
    expect(await answer({ errors, data: null })).toMatchObject({
      status: 503,
      headers: { 'content-type': JSON_TYPE, 'retry-after': '1' },
    })
  })

  const wrap = (error: Error) => new GraphQLError(error.message, { path: ['pets'], originalError: error })

  /** Whether the fast path answers a request with an Accept header, after Yoga has answered one. */
  async function isLearnt(accept: string | undefined, response: Response): Promise<string | null> {
    const fastPath = createFastPath()
    fastPath.learn(accept, response)
    const query = { operationName: undefined, run: async () => ({ data: {} }) }
    const result = await fastPath.answer({ query, variables: {} }, accept, createContext())
    return result?.headers['content-type'] ?? null
  }

  it.each<[string, string | undefined, string]>([
    ['application/json', 'application/json', JSON_TYPE],
    ['no Accept header', undefined, JSON_TYPE],
    ['the media type of GraphQL', 'x', 'application/graphql-response+json; charset=utf-8'],
    ['an Accept header of 200 characters', 'x'.repeat(200), JSON_TYPE],
  ])('has the media type that Yoga chose: %s', async (_, accept, type) => {
    expect(await isLearnt(accept, respond(type))).toBe(type)
  })

  it.each<[string, string, Response]>([
    ['an event stream', 'x', respond('text/event-stream')],
    ['no media type', 'x', respond(null)],
    ['another media type', 'x', respond('application/jsonp')],
    ['an error', 'x', respond(JSON_TYPE, 400)],
    ['an Accept header of 201 characters', 'x'.repeat(201), respond(JSON_TYPE)],
  ])('is left to Yoga if Yoga answered with %s', async (_, accept, response) => {
    expect(await isLearnt(accept, response)).toBeNull()
  })

  it('is left to Yoga for an Accept header that is new, before the query runs', async () => {
    const query = {
      operationName: undefined,
      run: () => {
        throw new Error('run')
      },
    }
    expect(await createFastPath().answer({ query, variables: {} }, '*/*', createContext())).toBeNull()
  })

  it('remembers 100 Accept headers', async () => {
    const fastPath = createFastPath()
    const query = { operationName: undefined, run: async () => ({ data: {} }) }
    const isKnown = async (accept: string) =>
      (await fastPath.answer({ query, variables: {} }, accept, createContext())) !== null
    for (let index = 0; index <= 100; index += 1) fastPath.learn(String(index), respond(JSON_TYPE))
    expect([await isKnown('0'), await isKnown('1'), await isKnown('100')]).toEqual([false, true, true])
  })
})
