import { vi } from 'vitest'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'

/** The part of a connection that migrations use. @param answer returns the rows of a statement, or throws */
export function createFakeConnection(answer: (text: string) => TextRow[] | Promise<TextRow[]> = () => []) {
  const texts: string[] = []
  const close = vi.fn(async () => undefined)
  const query = ({ text, onColumns }: Statement) => {
    texts.push(text)
    const names = /^select (.+) from/.exec(text)?.[1]?.split(', ') ?? []
    onColumns?.(names.map((name) => ({ name, type: 25 })))
    return Promise.try(answer, text)
  }
  const transaction = async <Result>(work: () => Promise<Result>) => {
    texts.push('begin')
    const result = await work()
    texts.push('commit')
    return result
  }
  return { texts, close, connection: { query, transaction, [Symbol.asyncDispose]: close } }
}
