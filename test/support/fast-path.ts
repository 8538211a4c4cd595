/** Which answers come from the fast path, and what Yoga answers instead. */
import { vi } from 'vitest'
import { CompiledQueries } from '../../src/graphql/compiled-queries.ts'

/** @param send sends one request @returns its answer, and whether it came from the fast path */
export async function watchFastPath<Answer>(send: () => Promise<Answer>) {
  const fastPath = vi.spyOn(CompiledQueries.prototype, 'answer')
  const answer = await send()
  const outcome: unknown = await fastPath.mock.results[0]?.value
  fastPath.mockRestore()
  return { answer, isFast: outcome != null }
}

/** The same as if no document were compiled. */
export async function withoutFastPath<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  const find = vi.spyOn(CompiledQueries.prototype, 'find').mockReturnValue(undefined)
  const answer = await send()
  find.mockRestore()
  return answer
}
