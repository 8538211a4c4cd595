import type { Database } from '../../../src/db/database.ts'
import type { Context } from '../../../src/graphql/schema/context.ts'
import { createFakeDatabase, createSession } from './database.ts'

/** What was logged. */
export interface LoggedLine {
  level: 'warn' | 'error'
  details: object
  message: string
}

/** A request context that records its log. */
export function createContext(
  database: Database = createFakeDatabase(),
  overrides: Partial<Context> = {},
): Context & { logged: LoggedLine[] } {
  const logged: LoggedLine[] = []
  return {
    logged,
    session: createSession(database),
    connection: { isClosed: false, isBehind: false, onClose: () => undefined },
    apiKey: { name: 'client', scope: 'write' },
    isDemoGraphiql: false,
    log: {
      warn: (details, message) => logged.push({ level: 'warn', details, message }),
      error: (details, message) => logged.push({ level: 'error', details, message }),
    },
    report: { operation: null, errorCodes: null },
    ...overrides,
  }
}
