import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { createAuthenticate, createKeySource } from '../../../src/auth.ts'
import { readConfig } from '../../../src/config.ts'
import type { Database } from '../../../src/db/database.ts'

export const KEY = 'test-secret-of-unit-tests'

/** Both APIs on a database, listening until the test has finished. */
export async function listen(database: Database): Promise<{ url: URL; server: Server }> {
  const { app } = await buildApp({
    database,
    authenticate: createAuthenticate([createKeySource([{ name: 'test', scope: 'write', secret: KEY }])]),
    config: readConfig({ LOG_LEVEL: 'silent', GRAPHIQL: 'false' }),
    trustedDocuments: new Map(),
    demoSecret: null,
    log: { write: () => undefined },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { url: new URL(`http://127.0.0.1:${port}`), server: app.server }
}
