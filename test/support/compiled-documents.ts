/** Which answers come from compiled documents, and what graphql-js answers instead. */
import { vi } from 'vitest'
import { RequestDocument } from '../../src/graphql/documents/request-document.ts'

/** @param send sends one request @returns its answer, and whether it came from a compiled document */
export async function watchCompiled<Answer>(send: () => Promise<Answer>) {
  const runCompiled = vi.spyOn(RequestDocument.prototype, 'runCompiled')
  const answer = await send()
  const isCompiled = runCompiled.mock.results.some(({ value }) => value !== null)
  runCompiled.mockRestore()
  return { answer, isCompiled }
}

/** The same as if no document were compiled. */
export async function byGraphqlJs<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  const runCompiled = vi.spyOn(RequestDocument.prototype, 'runCompiled').mockReturnValue(null)
  const answer = await send()
  runCompiled.mockRestore()
  return answer
}
