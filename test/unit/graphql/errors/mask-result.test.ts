import { GraphQLError, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../../../../src/base/error-catalogue.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { maskResult } from '../../../../src/graphql/errors/mask-result.ts'
import { createContext } from '../../support/context.ts'
import { wrap } from '../../support/resolvers.ts'

/** What is sent beside data. */
function send(error: GraphQLError): GraphQLError {
  const { errors: [sent] = [] } = maskResult({ data: { pet: {} }, errors: [error] }, createContext(), null)
  if (!sent) throw new Error('No error was sent')
  return sent
}

const describeSent = (error: ServiceError) => send(wrap(error)).toJSON()

describe('an error of a result', () => {
  it.each<[string, string, string]>([
    ['1,000 characters are whole', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['more are cut', 'x'.repeat(1_001), `${'x'.repeat(999)}…`],
    ['no character is cut into halves', `${'x'.repeat(998)}🐕🐕`, `${'x'.repeat(998)}\ufffd…`],
  ])('its texts are cut, since they repeat what a client sent: %s', (_, text, shortened) => {
    const invalid = new ServiceError('INVALID_VALUE', text, { problems: [{ argument: text, message: text }] })
    expect(describeSent(invalid)).toMatchObject({
      message: shortened,
      extensions: { argument: shortened, problems: [{ argument: shortened, message: shortened }] },
    })
  })

  it('names at most 10 places', () => {
    const document = parse(`{ ${'a '.repeat(20)} }`)
    const nodes = (document.definitions[0] as OperationDefinitionNode).selectionSet.selections
    expect(send(new GraphQLError('no', { nodes })).locations).toHaveLength(10)
  })

  it('has its code and its path, and no problems if there are none', () => {
    expect(describeSent(new ServiceError('PET_NOT_FOUND'))).toEqual({
      message: catalogue.PET_NOT_FOUND.message,
      path: ['pets'],
      extensions: { code: 'PET_NOT_FOUND' },
    })
  })

  it('is observed if it is unexpected, though another one, which made all data null, is reported', () => {
    const context = createContext()
    const errors = [wrap(new TypeError('secret')), wrap(new ServiceError('INVALID_VALUE'))]
    const { errors: reported } = maskResult({ data: null, errors }, context, null)
    expect(reported).toMatchObject([{ extensions: { code: 'INVALID_VALUE' } }])
    expect(context.observed).toHaveLength(1)
  })

  it.each(['DATABASE_UNAVAILABLE', 'TIMEOUT', 'OVERLOADED'] as const)(
    'for a failure of the server has no log line of its own; its first cause is in the log line of the request: %s',
    (code) => {
      const context = createContext()
      const errors = [undefined, '57P01', 'ECONNRESET'].map((cause) =>
        wrap(new ServiceError(code, undefined, { cause })),
      )
      maskResult({ data: { pet: {} }, errors }, context, null)
      expect([context.observed, context.outcome.failureCause]).toEqual([[], '57P01'])
    },
  )

  it.each([
    ['OVERLOADED', 'ECONNRESET'],
    ['INVALID_VALUE', undefined],
  ] as const)('that made all data null is the only one whose cause the log has: %s', (code, logged) => {
    const context = createContext()
    const errors = [
      wrap(new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '57P01' })),
      wrap(new ServiceError(code, undefined, { cause: 'ECONNRESET' })),
    ]
    maskResult({ data: null, errors }, context, null)
    expect(context.outcome).toMatchObject({ errorCodes: [code], failureCause: logged })
  })
})
