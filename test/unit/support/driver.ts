import type { Sql } from 'postgres'
import { vi } from 'vitest'

type Row = (string | null)[]

/** The part of the driver that migrations use, without a connection. @param answer returns the rows of a statement, or throws */
export function createFakeDriver(answer: (text: string) => Row[] = () => []) {
  const texts: string[] = []
  const end = vi.fn(async () => undefined)
  const driver = {
    options: { parsers: {}, serializers: {} },
    unsafe(text: string) {
      texts.push(text)
      const rows = Promise.try(answer, text)
      const objects = rows.then(() => [])
      // The caller awaits one of the two.
      objects.catch(() => undefined)
      return Object.assign(objects, { values: () => rows })
    },
    begin: (run: (transaction: object) => Promise<unknown>) => run(driver),
    end,
  }
  return { texts, end, client: driver as unknown as Sql }
}
