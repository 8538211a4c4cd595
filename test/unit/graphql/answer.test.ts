import { type ExecutionResult, GraphQLError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '../../../src/base/service-error.ts'
import { MemoryBudget } from '../../../src/base/memory-budget.ts'
import { MAX_ANSWER } from '../../../src/base/request-memory.ts'
import { toAnswer, writeAnswer } from '../../../src/graphql/answer.ts'
import { GRAPHQL_RESPONSE } from '../../../src/graphql/media-types.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Takes bytes for others. */
function fill(budget: MemoryBudget, bytes: number): void {
  for (const key of ['one other', 'another']) budget.acquire(key, bytes / 2)
}

/** @param data bytes behind the answer @param expected the bytes of text that were reserved */
async function write(result: object, { data = 0, expected = 0, held = 0 } = {}) {
  const context = createContext()
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
    const data = 'x'.repeat(600_000).match(/.{1000}/g)
    const budget = new MemoryBudget()
    const contexts = [1, 2, 3].map(() => {
      const context = createContext(undefined, {
        requestData: createRequestData(createFakeDatabase(), budget),
      })
      context.requestData.memory.holdData(65_537)
      return context
    })
    fill(budget, 96 * 2 ** 20 - budget.held - 620_000)
    const answers = await Promise.all(
      contexts.map((context) => writeAnswer({ data } as unknown as ExecutionResult, JSON_TYPE, context)),
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
