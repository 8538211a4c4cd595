/** Why a request is not executed: what the steps before that throw. */
import { GraphQLError } from 'graphql'
import { ServiceError } from '../../base/service-error.ts'

/** What is wrong with a request, in one place or several. */
export class RequestErrors extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join(' '))
    this.errors = errors
  }
}

/** The errors in the answer to a request that is not executed. @throws what was not thrown for that */
export function toGraphqlErrors(error: unknown): readonly GraphQLError[] {
  if (error instanceof RequestErrors) return error.errors
  if (error instanceof GraphQLError) return [error]
  if (error instanceof ServiceError) return [new GraphQLError(error.message, { cause: error })]
  throw error
}
