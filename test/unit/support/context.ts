import { OpenCost } from '../../../src/base/open-cost.ts'
import type { Database } from '../../../src/db/database.ts'
import type { Context } from '../../../src/graphql/context.ts'
import { createRecord } from '../../../src/http/request-record.ts'
import { createFakeDatabase, createRequestData } from './database.ts'

/** What was logged. */
export interface LoggedLine {
  level: 'error'
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
    requestData: createRequestData(database),
    response: { destroyed: false, once: () => undefined },
    openCost: new OpenCost(),
    apiKey: { name: 'client', scope: 'write', isValid: true },
    log: {
      error: (details, message) => logged.push({ level: 'error', details, message }),
    },
    requestId: 'r-1',
    outcome: createRecord(),
    ...overrides,
  }
}
