/** What all test files share: a PostgreSQL server, and databases to copy, created by the program itself. */
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createDirectory, removeAbandoned } from './temporary.ts'
import { PREPARED_STATEMENTS, startPgbouncer } from './pgbouncer.ts'
import { runOn, startPostgres, type TestPostgres } from './postgres.ts'
import { startProgram } from './process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a PostgreSQL in which databases can be created; absent in the project embedded. */
    postgresUrl: string
    /** The name of a database in it with all migrations applied; absent in the projects embedded and citus. */
    postgresTemplate: string
    /** The URL of a PgBouncer in front of it; only in the project pooler. */
    poolerUrl: string
    /** A data directory after the first start, with the demo pets and the demo key; copies lie beside it. Absent in the projects postgres, postgres-same, pooler and citus. */
    embeddedTemplate: string
  }
}

interface Shared<T> {
  value: T
  remove: () => Promise<void>
}
type Server = Pick<TestPostgres, 'url' | 'log'>

const getServer = shareOne(findPostgres)
const getPostgresTemplate = shareOne(createPostgresTemplate)
const getEmbeddedTemplate = shareOne(createEmbeddedTemplate)

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeAbandoned()
  const removals: (() => Promise<void>)[] = []
  async function use<T>(get: () => Promise<Shared<T>>): Promise<T> {
    const { value, remove } = await get()
    removals.push(remove)
    return value
  }
  const { name } = project
  if (name !== 'embedded') {
    const server = await use(getServer)
    project.provide('postgresUrl', server.url)
    if (name !== 'citus') project.provide('postgresTemplate', await use(getPostgresTemplate))
    if (name === 'pooler') project.provide('poolerUrl', await use(() => createPooler(server)))
  }
  if (!['postgres', 'postgres-same', 'pooler', 'citus'].includes(name))
    project.provide('embeddedTemplate', await use(getEmbeddedTemplate))
  return async () => {
    const problems: unknown[] = []
    for (const remove of removals.reverse()) await remove().catch((error: unknown) => problems.push(error))
    if (problems.length > 0) throw problems[0]
  }
}

/** Makes one for all projects of a run, which is removed when the last of them has ended. */
function shareOne<T>(create: () => Promise<Shared<T>>): () => Promise<Shared<T>> {
  let users = 0
  let created: Promise<Shared<T>> | undefined
  return async () => {
    users += 1
    const { value, remove } = await (created ??= create())
    return {
      value,
      async remove() {
        users -= 1
        if (users > 0) return
        created = undefined
        await remove()
      },
    }
  }
}

/** TEST_DATABASE_URL names an existing PostgreSQL. */
async function findPostgres(): Promise<Shared<Server>> {
  const url = process.env.TEST_DATABASE_URL
  if (url) return { value: { url, log: () => '' }, remove: async () => undefined }
  const server = await startPostgres()
  return { value: server, remove: () => server.remove() }
}

/** The driver hides that a prepared statement is missing, by trying again; Postgres's log does not. */
async function createPooler(server: Server): Promise<Shared<string>> {
  // Each transaction of a client on another connection, if possible.
  const settings = { min_pool_size: '3', server_round_robin: '1', ...PREPARED_STATEMENTS }
  const pooler = await startPgbouncer(server.url, settings)
  const before = server.log().length
  return {
    value: pooler.toUrl(server.url),
    async remove() {
      await pooler.remove()
      const complaints =
        server
          .log()
          .slice(before)
          .match(/.*prepared statement.*/g) ?? []
      if (complaints.length > 0)
        throw new Error(`Postgres logged ${complaints.length} times: ${complaints[0]}`)
    },
  }
}

async function createPostgresTemplate(): Promise<Shared<string>> {
  const server = await getServer()
  const name = `template_${crypto.randomUUID().replaceAll('-', '')}`
  await runOn(server.value.url, `create database ${name}`)
  await runOnce({ DATABASE_URL: new URL(`/${name}`, server.value.url).href })
  return {
    value: name,
    async remove() {
      await runOn(server.value.url, `drop database ${name} with (force)`)
      await server.remove()
    },
  }
}

async function createEmbeddedTemplate(): Promise<Shared<string>> {
  const directory = createDirectory()
  const template = join(directory.path, 'template')
  await runOnce({ DATA_DIR: template })
  return { value: template, remove: async () => directory.remove() }
}

/** Starts the server, so that it creates the tables, and stops it. */
async function runOnce(env: Record<string, string>): Promise<void> {
  const program = startProgram(env)
  await program.ready
  program.child.kill('SIGTERM')
  await program.ended
}
