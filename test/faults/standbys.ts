/** A primary and its standbys, and servers that read from them. */
import { type Server, startServer } from './server.ts'
import { createClient, type TestClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import type { TestPostgres } from '../support/postgres.ts'
import { logLines } from '../support/process.ts'

const NAMES = ['writer', ...Array.from({ length: 9 }, (_, index) => `reader-${index + 1}`)]

/** The secret of the key with this name. */
export const secretOf = (name: string) => `the-secret-of-${name}`

/** Starts a server with a key that writes, and nine that only read. */
export function startReadingServer(
  primary: Pick<TestPostgres, 'url'>,
  readUrl: string,
  env: Record<string, string> = {},
): Promise<Server> {
  const keys = NAMES.map((name) => `${name}:${secretOf(name)}${name === 'writer' ? '' : ':read'}`)
  return startServer({
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: readUrl,
    API_KEYS: keys.join(),
    RATE_LIMIT: 'off',
    ...env,
  })
}

/** A client of a server with one of its keys. */
export function clientOf({ url }: Pick<Server, 'url'>, name: string): TestClient {
  return createClient(url, secretOf(name))
}

/** Why a server has left its standby out; null if it uses it. */
export function problemOf({ program }: Server): string | null {
  const problems = logLines(program, 'standby excluded from reads')
  return problems.length >= logLines(program, 'a standby answers reads').length
    ? (problems.map(({ reason }) => String(reason)).at(-1) ?? 'not polled yet')
    : null
}

/** Why a server has left standbys out, each time since it started. */
export function problemsOf({ program }: Server): string[] {
  return logLines(program, 'standby excluded from reads').map(({ reason }) => String(reason))
}

/** Waits until a server reads from its standby. */
export async function untilUsed(server: Server): Promise<void> {
  await eventually(() => {
    if (problemOf(server) !== null) throw new Error(`the standby is left out: ${problemOf(server)}`)
  })
}

/** Waits until a server that has just been started reads from all of its standbys. */
export async function untilAllUsed({ program }: Server, count: number): Promise<void> {
  await eventually(() => {
    const used = logLines(program, 'a standby answers reads').length
    if (used < count) throw new Error(`${used} of ${count} standbys answer reads`)
  })
}
