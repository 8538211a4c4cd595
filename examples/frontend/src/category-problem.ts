import { problemOf } from './api.ts'

/** What is wrong with a category, for users: the server's message is for developers, and names the type Int64. */
export const categoryProblem = (error: unknown, argument: string): string | undefined =>
  problemOf(error, argument) && 'Category must be a whole number of at most 18 digits.'
