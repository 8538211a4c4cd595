/** Which answers come from compiled documents, and what graphql-js answers instead. */
import { vi } from 'vitest'
import { RequestDocument } from '../../src/graphql/documents/request-document.ts'

/** @param send sends one request @returns its answer, and whether it came from a compiled document */
export async function watchProgram<Answer>(send: () => Promise<Answer>) {
  const program = vi.spyOn(RequestDocument.prototype, 'runProgram')
  const answer = await send()
  const isCompiled = program.mock.results.some(({ value }) => value !== null)
  program.mockRestore()
  return { answer, isCompiled }
}

/** The same as if no document were compiled. */
export async function byGraphqlJs<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  const program = vi.spyOn(RequestDocument.prototype, 'runProgram').mockReturnValue(null)
  const answer = await send()
  program.mockRestore()
  return answer
}
