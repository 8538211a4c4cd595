/** Which answers come from compiled documents, and what graphql-js answers instead. */
import { vi } from 'vitest'
import { Program } from '../../src/graphql/documents/program.ts'

/** @param send sends one request @returns its answer, and whether it came from a compiled document */
export async function watchCompiled<Answer>(send: () => Promise<Answer>) {
  const run = vi.spyOn(Program.prototype, 'run')
  const answer = await send()
  const isCompiled = run.mock.results.some(({ value }) => value !== null)
  run.mockRestore()
  return { answer, isCompiled }
}

/** The same as if no document were compiled. */
export async function byGraphqlJs<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  const run = vi.spyOn(Program.prototype, 'run').mockReturnValue(null)
  const answer = await send()
  run.mockRestore()
  return answer
}
