import { GraphQLError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '../../../src/base/service-error.ts'
import { toAnswer } from '../../../src/graphql/answer.ts'
import { GRAPHQL_RESPONSE } from '../../../src/graphql/media-types.ts'
import { createContext } from '../support/context.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
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
