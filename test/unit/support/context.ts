import type { Observation } from '../../../src/base/observation.ts'
import { OpenCost } from '../../../src/http/open-cost.ts'
import type { Database } from '../../../src/db/database.ts'
import type { Context } from '../../../src/graphql/request/context.ts'
import { createRecord } from '../../../src/http/request-record.ts'
import { createFakeDatabase, createRequestData } from './database.ts'

/** A request context that records what happens. */
export function createContext(
  database: Database = createFakeDatabase(),
  overrides: Partial<Context> = {},
): Context & { observed: Observation[] } {
  const observed: Observation[] = []
  return {
    observed,
    requestData: createRequestData(database),
    response: { destroyed: false, once: () => undefined },
    openCost: new OpenCost(),
    apiKey: { name: 'client', scope: 'write', isValid: true },
    observe: (observation) => observed.push(observation),
    requestId: 'r-1',
    outcome: createRecord(),
    ...overrides,
  }
}
