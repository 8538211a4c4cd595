/** What the test files of a project share: a PostgreSQL server, and databases to copy, created by the program itself. */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { PREPARED_STATEMENTS, startPgbouncer } from './pgbouncer.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { startProgram } from './process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a PostgreSQL in which databases can be created; absent in the project embedded. */
    postgresUrl: string
    /** The name of a database in it with all migrations applied; only in the projects postgres and pooler. */
    postgresTemplate: string
    /** The URL of a PgBouncer in front of it; only in the project pooler. */
    poolerUrl: string
    /** A data directory after the first start, with the demo pets and the demo key; absent in those two and in the project citus. */
    embeddedTemplate: string
  }
}

type Remove = () => Promise<void>

export default async function setup(project: TestProject): Promise<Remove> {
  const removals: Remove[] = []
  const usesTemplate = ['postgres', 'pooler'].includes(project.name)
  if (project.name !== 'embedded') {
    const server = await findPostgres()
    removals.push(server.remove)
    project.provide('postgresUrl', server.url)
    if (project.name === 'pooler') removals.push(await providePooler(project, server))
    if (usesTemplate) removals.push(await providePostgresTemplate(project, server.url))
  }
  if (!usesTemplate && project.name !== 'citus') removals.push(await provideEmbeddedTemplate(project))
  return async () => {
    const problems: unknown[] = []
    for (const remove of removals.reverse()) await remove().catch((error: unknown) => problems.push(error))
    if (problems.length > 0) throw problems[0]
  }
}

/** TEST_DATABASE_URL names an existing PostgreSQL. */
async function findPostgres(): Promise<Pick<TestPostgres, 'url' | 'log' | 'remove'>> {
  const url = process.env.TEST_DATABASE_URL
  return url ? { url, log: () => '', remove: async () => undefined } : startPostgres()
}

/** The driver hides that a prepared statement is missing, by trying again; Postgres's log does not. */
async function providePooler(
  project: TestProject,
  server: Pick<TestPostgres, 'url' | 'log'>,
): Promise<Remove> {
  // Each transaction of a client on another connection, if possible.
  const settings = { min_pool_size: '3', server_round_robin: '1', ...PREPARED_STATEMENTS }
  const pooler = await startPgbouncer(server.url, settings)
  project.provide('poolerUrl', pooler.toUrl(server.url))
  return async () => {
    await pooler.remove()
    const complaints = server.log().match(/.*prepared statement.*/g) ?? []
    if (complaints.length > 0) throw new Error(`Postgres logged ${complaints.length} times: ${complaints[0]}`)
  }
}

async function providePostgresTemplate(project: TestProject, url: string): Promise<Remove> {
  const name = `template_${crypto.randomUUID().replaceAll('-', '')}`
  const sql = postgres(url, { max: 1 })
  await sql`create database ${sql(name)}`
  await runOnce({ DATABASE_URL: new URL(`/${name}`, url).href })
  project.provide('postgresTemplate', name)
  return async () => {
    await sql`drop database ${sql(name)} with (force)`
    await sql.end()
  }
}

async function provideEmbeddedTemplate(project: TestProject): Promise<Remove> {
  const directory = mkdtempDisposableSync(join(tmpdir(), 'pet-store-template-'))
  await runOnce({ DATA_DIR: directory.path })
  project.provide('embeddedTemplate', directory.path)
  return async () => directory.remove()
}

/** Starts the server, so that it creates the tables, and stops it. */
async function runOnce(env: Record<string, string>): Promise<void> {
  const program = startProgram(env)
  await program.ready
  program.child.kill('SIGTERM')
  await program.ended
}
