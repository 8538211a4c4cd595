import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { buildApp } from '../../src/server/app.ts'
import { createAuthenticate, createKeySource } from '../../src/keys/auth.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/db/database.ts'

export const KEY = 'test-secret-of-unit-tests'

export interface App {
  url: URL
  server: Server
  close: () => Promise<void>
}

/** Both APIs on a database, listening. @param demoSecret the secret of the demo key */
export async function startApp(
  database: Database,
  env: Record<string, string> = {},
  demoSecret: string | null = null,
): Promise<App> {
  const { app } = await buildApp({
    database,
    authenticate: createAuthenticate([createKeySource([{ name: 'test', scope: 'write', secret: KEY }])]),
    config: readConfig({ LOG_LEVEL: 'silent', GRAPHIQL: 'false', ...env }),
    trustedDocuments: new Map(),
    demoSecret,
    log: { write: () => undefined },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { url: new URL(`http://127.0.0.1:${port}`), server: app.server, close: () => app.close() }
}

/** The same until the test has finished. */
export async function listen(database: Database, env?: Record<string, string>): Promise<Omit<App, 'close'>> {
  const app = await startApp(database, env)
  onTestFinished(() => app.close())
  return app
}
