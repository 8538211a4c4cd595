import { type ExecutionResult, GraphQLError, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '../../../src/base/service-error.ts'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { MAX_ANSWER, RequestMemory, type ResponseState } from '../../../src/base/request-memory.ts'
import { RequestData } from '../../../src/db/request-data.ts'
import { toAnswer, writeAnswer } from '../../../src/graphql/answer.ts'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { GRAPHQL_RESPONSE } from '../../../src/graphql/media-types.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createExecutorClient } from '../support/executor.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const response: ResponseState = { isClosed: false, onClose: () => undefined }
const createRequestData = (budget: MemoryBudget, state = response) =>
  new RequestData(database, 'client', new RequestMemory(budget, 'client', state))
const database = createFakeDatabase(() => [['1', 'x'.repeat(2 ** 20), '7', null]])

/** Takes bytes for others. */
function fill(budget: MemoryBudget, bytes: number): void {
  for (const key of ['one other', 'another']) budget.acquire(key, bytes / 2)
}

/** The context of a request; once it has data, other answers hold some bytes. */
function createContextBeside(held: number) {
  const budget = new MemoryBudget()
  const onClose = () => {
    fill(budget, held)
  }
  const beside = { ...response, onClose }
  return createContext(database, { requestData: createRequestData(budget, beside) })
}

/** @param data bytes behind the answer @param expected the bytes of text that were reserved */
async function write(result: object, { data = 0, expected = 0, held = 0 } = {}) {
  const context = createContextBeside(0)
  context.requestData.memory.holdData(data)
  context.requestData.memory.reserve(expected)
  fill(context.requestData.memory.budget, held)
  const { status, headers, body } = await writeAnswer(result, JSON_TYPE, context)
  const counted = context.requestData.memory.budget.held - held
  return { status, headers, text: body.toString(), isWhole: typeof body === 'string', counted }
}

/** With both, a text may be long. */
const LARGE = [{ data: 70_000 }, { expected: 70_000 }]

describe('a text', () => {
  it('is made in steps if there is more than a little data', async () => {
    const data = { pet: { name: 'x'.repeat(20_000) } }
    const text = JSON.stringify({ data })
    expect(await write({ data })).toMatchObject({ text, isWhole: true })
    for (const large of LARGE) expect(await write({ data }, large)).toMatchObject({ text, isWhole: false })
  })

  it('begins with the errors', async () => {
    const result = { errors: [new GraphQLError('no')], data: { pet: null } }
    const text = '{"errors":[{"message":"no","extensions":{"code":"INVALID_REQUEST"}}],"data":{"pet":null}}'
    for (const large of [{}, ...LARGE]) expect((await write(result, large)).text).toBe(text)
  })

  it('is counted in bytes, and its data no more, when it is complete', async () => {
    const data = '語'.repeat(60_000)
    for (const large of [{}, ...LARGE]) {
      const { text, counted } = await write({ data }, large)
      expect(counted).toBe(Buffer.byteLength(text))
    }
  })

  it('is not counted if it is short: most are', async () => {
    expect((await write({ data: 'x'.repeat(16_000) })).counted).toBe(0)
  })

  it('is made one at a time if it is large, so that the first is complete if memory runs out', async () => {
    // Beside their data, there is room for the text of one, which takes two turns.
    const context = createContextBeside(0)
    const data = 'x'.repeat(600_000).match(/.{1000}/g)
    const { budget } = context.requestData.memory
    const sessions = [1, 2, 3].map(() => {
      const requestData = createRequestData(budget)
      requestData.memory.holdData(65_537)
      return requestData
    })
    fill(budget, 96 * 2 ** 20 - budget.held - 620_000)
    const answers = await Promise.all(
      sessions.map((requestData) =>
        writeAnswer({ data } as unknown as ExecutionResult, JSON_TYPE, { ...context, requestData }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 503])
  })
})

describe('an answer', () => {
  const tooLarge = [
    {
      message: 'The response would be too large: request fewer pets at a time.',
      path: ['first'],
      extensions: { code: 'RESPONSE_TOO_LARGE' },
    },
  ]
  const names = (count: number, name: string) => Array.from({ length: count }, () => name)

  it('of up to 16 MB is left as it is', async () => {
    const data = { first: 'x'.repeat(MAX_ANSWER - 100) }
    for (const large of [{}, ...LARGE])
      expect((await write({ data }, large)).text).toHaveLength(MAX_ANSWER - 79)
  })

  it.each<[string, object]>([
    ['in one name', { first: 'x'.repeat(MAX_ANSWER), second: null }],
    [
      'in several fields',
      { first: 'x'.repeat(MAX_ANSWER / 2), second: { name: 'x'.repeat(MAX_ANSWER / 2) } },
    ],
    ['by escapes', { first: names(50, '\u0001'.repeat(60_000)), second: null }],
    ['by repetition', { first: names(300, 'x'.repeat(60_000)) }],
  ])('of more is an error of its first field: %s', async (_, data) => {
    for (const large of [{}, ...LARGE]) {
      const { status, text } = await write({ data }, large)
      expect([status, JSON.parse(text)]).toEqual([200, { errors: tooLarge, data: null }])
    }
  })

  it('is an error, too, if all answers hold too much', async () => {
    for (const large of [{ data: 0 }, { data: 70_000 }]) {
      const held = 96 * 2 ** 20 - 2 * large.data - 69_000
      const answer = await write({ data: { first: 'x'.repeat(70_000) } }, { ...large, held })
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
      expect(JSON.parse(answer.text)).toMatchObject({
        errors: [{ path: ['first'], extensions: { code: 'OVERLOADED' } }],
        data: null,
      })
    }
  })
})

describe('the fast path and Yoga answer the same', () => {
  it.each<[string, number, number, number, string | undefined]>([
    ['with the data', 15, 0, 200, undefined],
    ['that the answer is too large', 16, 0, 200, 'RESPONSE_TOO_LARGE'],
    ['that there are too many answers', 15, 90 * 2 ** 20, 503, 'OVERLOADED'],
  ])('%s', async (_, count, held, status, code) => {
    const names = Array.from({ length: count }, (_, index) => `n${index}: name`)
    const query = `{ first: pet(id: 1) { ${names.join(' ')} } }`
    const queries = new CompiledQueries(schema, 4_000)
    for (let time = 0; time < 2; time += 1) queries.recordExecution(query, parse(query))
    const answers = [
      await createExecutorClient().post({ query }, createContextBeside(held)),
      await createExecutorClient({ queries }).post({ query }, createContextBeside(held)),
    ]
    const errors = code && [{ message: expect.any(String) as string, path: ['first'], extensions: { code } }]
    for (const answer of answers) {
      expect(answer.status).toBe(status)
      expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
      // In the same order: both are compared to the byte elsewhere.
      expect(Object.keys(answer.body)).toEqual(errors ? ['errors', 'data'] : ['data'])
      const { data, ...others } = answer.body as { data: { first: object } | null }
      expect(others).toEqual(errors ? { errors } : {})
      expect(data && Object.keys(data.first)).toEqual(errors ? null : names.map((_, index) => `n${index}`))
    }
  })
})

/** An error as graphql-js reports it when a resolver throws. */
const wrap = (error: Error) => new GraphQLError(error.message, { path: ['pets'], originalError: error })

describe('the status and the headers of an answer', () => {
  /** What is the answer's besides its media type, as plain JSON and in GraphQL's own type. */
  const answersTo = (...errors: GraphQLError[]) =>
    [JSON_TYPE, GRAPHQL_RESPONSE].map((type) => {
      const { status, headers, result } = toAnswer({ errors }, type, createContext())
      expect(JSON.stringify(result)).not.toContain('secret')
      const { 'content-type': sent, ...others } = headers as Record<string, string>
      expect(sent).toBe(type)
      return [status, others]
    })
  const resolved = (code: ErrorCode) => wrap(new ServiceError(code))

  it.each<[string, GraphQLError[], number, object]>([
    ['503', [resolved('OVERLOADED')], 503, { 'retry-after': '1' }],
    ['504', [resolved('TIMEOUT')], 504, {}],
    ['500', [wrap(new Error('secret'))], 500, {}],
    ["not those of a resolver's 404", [resolved('PET_NOT_FOUND')], 200, {}],
    ['the highest', [resolved('OVERLOADED'), resolved('TIMEOUT')], 504, { 'retry-after': '1' }],
    ['the highest, of a failure', [resolved('PET_NOT_FOUND'), resolved('INTERNAL')], 500, {}],
    [
      'those of a rejected request',
      [new GraphQLError('x', { cause: new ServiceError('DOCUMENT_NOT_TRUSTED') })],
      403,
      {},
    ],
    [
      'those chosen by Yoga',
      [new GraphQLError('x', { extensions: { http: { status: 405, headers: { allow: 'POST' } } } })],
      405,
      { allow: 'POST' },
    ],
  ])('are, whatever its media type, %s', (_, errors, status, headers) => {
    const answer = [status, headers]
    expect(answersTo(...errors)).toEqual([answer, answer])
  })

  it.each([
    ['that graphql-js found', new GraphQLError('x')],
    ['that Yoga marks', new GraphQLError('x', { extensions: { http: { status: 400, spec: true } } })],
  ])('are those of an error in the document only in the media type of GraphQL: %s', (_, error) => {
    expect(answersTo(error)).toEqual([
      [200, {}],
      [400, {}],
    ])
  })
})

it('the errors of an answer are noted for the log', () => {
  const context = createContext()
  toAnswer({ data: {} }, JSON_TYPE, context)
  expect(context.outcome.errorCodes).toBeNull()
  toAnswer({ errors: [wrap(new ServiceError('TIMEOUT')), wrap(new Error('x'))] }, JSON_TYPE, context)
  expect(context.outcome.errorCodes).toEqual(['TIMEOUT', 'INTERNAL'])
})
