import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { buildApp } from '../../src/server/app.ts'
import { createAuthenticate, digestOf } from '../../src/keys/api-key.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/db/database.ts'
import type { Telemetry } from '../../src/telemetry/start-telemetry.ts'

export const KEY = 'test-secret-of-unit-tests'

/** Receives each line of the log. */
type OnLog = (line: Record<string, unknown>) => void

export interface App {
  /** The key of KEY. */
  key: { isValid: boolean }
  url: URL
  server: Server
  close: () => Promise<void>
}

/** Both APIs on a database, listening. @param demoReadKey the secret of the demo's read-only key */
export async function startApp(
  database: Database,
  env: Record<string, string> = {},
  demoReadKey: string | null = null,
  onLog: OnLog = () => undefined,
  telemetry: Telemetry | null = null,
): Promise<App> {
  const key = { name: 'test', scope: 'write' as const, isValid: true }
  const { app } = await buildApp({
    database,
    authenticate: createAuthenticate([(digest) => (digest === digestOf(KEY) ? key : null)]),
    config: readConfig({ LOG_LEVEL: 'silent', GRAPHIQL: 'false', ...env }),
    trustedDocuments: new Map(),
    demoReadKey,
    log: { write: (line) => onLog(JSON.parse(line) as Record<string, unknown>) },
    telemetry,
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { key, url: new URL(`http://127.0.0.1:${port}`), server: app.server, close: () => app.close() }
}

/** The same until the test has finished. */
export async function listen(
  database: Database,
  env?: Record<string, string>,
  onLog?: OnLog,
): Promise<Omit<App, 'close'>> {
  const app = await startApp(database, env, null, onLog)
  onTestFinished(() => app.close())
  return app
}
