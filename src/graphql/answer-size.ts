import { GraphQLError } from 'graphql'
import type { AnswerMemory } from '../base/memory-budget.ts'

/**
 * Counts the text of an answer before it is written, since a document may select the same long names many times.
 * @returns the error to send instead if the answer is too large, null otherwise
 */
export function limitAnswer(
  { data }: { data?: unknown },
  memory: AnswerMemory,
): { errors: GraphQLError[]; data: null } | null {
  if (!memory.isCounted) return null
  const error = memory.tryHoldText(measureJson(data))
  if (!error) return null
  // As if the first field had failed and were non-null.
  const path = Object.keys(data ?? {}).slice(0, 1)
  return { errors: [new GraphQLError(error.message, { path, originalError: error })], data: null }
}

/** The bytes of a value as JSON, rounded up: short values are estimated. Iterative; answers have no cycles. */
function measureJson(value: unknown): number {
  let bytes = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') bytes += measureString(next)
    else if (typeof next !== 'object' || next === null) bytes += 8
    else if (Array.isArray(next)) open.push(...(next as unknown[]))
    else {
      for (const [name, member] of Object.entries(next)) {
        bytes += name.length + 4
        open.push(member)
      }
    }
  }
  return bytes
}

/** In JSON, a control character takes 6 bytes. */
function measureString(text: string): number {
  return text.length < 100 ? text.length * 6 : Buffer.byteLength(JSON.stringify(text))
}
