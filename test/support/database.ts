/** Separate databases for the tests: copies of the ones created by databases.ts. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { afterEach, beforeEach, inject } from 'vitest'
import { createDistributedDatabase, imitateCitus } from './citus.ts'
import { runOn } from './postgres.ts'
import { endPrograms } from './process.ts'

export interface TestDatabase {
  env: { DATABASE_URL?: string; DATABASE_LISTEN_URL?: string; DATA_DIR?: string }
  /** Connections that bypass the server. */
  connect(): Sql
  remove(): Promise<void>
}

/** The database named by TEST_DATABASE, with all migrations applied. */
export function createDatabase(): Promise<TestDatabase> {
  if (process.env.TEST_DATABASE === 'pooler') return createPooledDatabase()
  if (process.env.TEST_DATABASE === 'citus') return createDistributedDatabase(inject('postgresUrl'))
  return process.env.TEST_DATABASE === 'postgres' ? createMigratedDatabase() : createEmbeddedDatabase()
}

/** One that the server reaches through PgBouncer; the tests look into it directly. */
async function createPooledDatabase(): Promise<TestDatabase> {
  const database = await createMigratedDatabase()
  const pooled = new URL(inject('poolerUrl'))
  pooled.pathname = new URL(database.env.DATABASE_URL).pathname
  return {
    ...database,
    env: { DATABASE_URL: pooled.href, DATABASE_LISTEN_URL: database.env.DATABASE_URL },
  }
}

export interface PostgresTestDatabase extends TestDatabase {
  env: { DATABASE_URL: string }
}

/** A database of its own for each test of a file, which is removed after the programs that the test has left running have been ended. */
export function useDatabase(
  create: () => Promise<PostgresTestDatabase> = createMigratedDatabase,
): Pick<PostgresTestDatabase, 'env' | 'connect'> {
  let database: PostgresTestDatabase
  beforeEach(async () => {
    database = await create()
  })
  afterEach(async () => {
    await endPrograms()
    await database.remove()
  })
  return {
    get env() {
      return database.env
    },
    connect: () => database.connect(),
  }
}

/** One with all migrations applied. */
export const createMigratedDatabase = () => createPostgresDatabase(inject('postgresTemplate'))

/** @param template the name of the database to copy; absent: an empty one */
export async function createPostgresDatabase(template?: string): Promise<PostgresTestDatabase> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const server = inject('postgresUrl')
  const url = new URL(server)
  url.pathname = name
  await runOn(server, `create database ${name} ${template === undefined ? '' : `template ${template}`}`)
  return {
    env: { DATABASE_URL: url.href },
    connect: () => postgres(url.href, { max: 2, onnotice: () => undefined }),
    async remove() {
      await runOn(server, `drop database ${name} with (force)`)
    },
  }
}

/** Copying takes a tenth of the time of creating a database. */
export function copyDataDirectory(to: string): void {
  cpSync(inject('embeddedTemplate'), to, { recursive: true })
}

/** One connection, since all share one session. It pretends to be the server's own: other programs are refused. */
export function connectToEmbedded(path: string): Sql {
  const connection = { application_name: 'pet-store' }
  return postgres({ path, user: 'postgres', database: 'postgres', max: 1, connection })
}

/** A copy of the embedded database of all tests, which is removed with it at the latest. */
export async function createEmbeddedDatabase(): Promise<TestDatabase> {
  const directory = mkdtempSync(join(dirname(inject('embeddedTemplate')), 'copy-'))
  copyDataDirectory(directory)
  const socket = join(directory, 'socket')
  return {
    env: { DATA_DIR: directory },
    connect: () => connectToEmbedded(socket),
    remove: async () => rmSync(directory, { recursive: true }),
  }
}

/** A plain Postgres that a server takes for a distributed database, so that it uses the SQL for Citus. */
export async function createImitatedCitus(): Promise<TestDatabase> {
  const database = await createMigratedDatabase()
  await imitateCitus(database.env.DATABASE_URL)
  return database
}
