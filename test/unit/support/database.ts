import { Announcer } from '../../../src/db/events/citus-announcer.ts'
import { EventFeed } from '../../../src/db/events/event-feed.ts'
import {
  type Database,
  type Dialect,
  POSTGRES_DIALECT,
  type SharedDatabase,
} from '../../../src/db/database.ts'
import { askState } from '../../../src/db/database-state.ts'
import { createDb } from '../../../src/db/postgres/drizzle.ts'
import { RequestData } from '../../../src/db/request-data.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import { readArray } from '../../../src/db/postgres/text-values.ts'
import type { StatementOwner } from '../../../src/db/postgres/statement-target.ts'

export interface FakeDatabase extends Database {
  /** The statements that were run, in order. */
  statements: Statement[]
  /** The number of callers that waited for each. */
  callers: number[]
  /** The request that each of them belonged to, alone. */
  owners: (StatementOwner | null)[]
}

/** That of a Citus cluster whose events no test looks at. */
export const CITUS_DIALECT: Dialect = {
  name: 'citus',
  announcer: new Announcer({ query: async () => [] }, []),
}

/** The rows of a statement if there are no items: one for each of several pages, otherwise none. */
export function findNothing({ name, prepare, parameters: [limits] }: Statement): TextRow[] {
  if (!name.startsWith('list') || !prepare) return []
  return readArray(limits).map((_, index) => [null, String(index + 1)])
}

/** A database that records its statements. @param answer returns the rows of each; by default, there are no items */
export function createFakeDatabase(
  answer: (statement: Statement) => TextRow[] | Promise<TextRow[]> = findNothing,
  dialect = POSTGRES_DIALECT,
): FakeDatabase {
  const statements: Statement[] = []
  const callers: number[] = []
  const owners: (StatementOwner | null)[] = []
  const database: FakeDatabase = {
    get reserved() {
      return database
    },
    get db() {
      return createDb(database)
    },
    statements,
    callers,
    owners,
    query: async (statement, { callers: count = 1, owner = null } = {}) => {
      statements.push(statement)
      callers.push(count)
      owners.push(owner)
      return answer(statement)
    },
    check: () => askState(database, [], { isIdentifiable: false, isDistributed: false }),
    requireDialect: () => dialect,
    standbys: null,
    poolUsage: { used: 0, idle: 0, waiting: 0 },
    connect: () => Promise.reject(new Error('a fake database has no connections')),
    events: new EventFeed([], async () => undefined),
    open: async () => undefined,
    failed: new Promise(() => undefined),
    close: async () => undefined,
  }
  return database
}

/** A request of the client, whose response stays open. */
export function createRequestData(database: SharedDatabase): RequestData {
  return new RequestData(database, database, 'client', { destroyed: false, once: () => undefined })
}

interface FakeOptions {
  dialect?: Dialect | undefined
  answer?: (statement: Statement) => TextRow[]
}

/** The statements that a request runs, in order. */
export async function recordStatements(
  run: (requestData: RequestData) => Promise<unknown>,
  { dialect, answer }: FakeOptions = {},
): Promise<Statement[]> {
  const database = createFakeDatabase(answer, dialect)
  await Promise.allSettled([run(createRequestData(database))])
  return database.statements
}
