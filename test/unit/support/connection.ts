import { vi } from 'vitest'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'

/** The part of a connection that migrations use. @param answer returns the rows of a statement, or throws */
export function createFakeConnection(answer: (text: string) => TextRow[] = () => []) {
  const texts: string[] = []
  const close = vi.fn(async () => undefined)
  const run = ({ text }: Statement) => {
    texts.push(text)
    return Promise.try(answer, text)
  }
  return { texts, close, connection: { run, [Symbol.asyncDispose]: close } }
}
