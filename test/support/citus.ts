/** Distributed databases in a Citus cluster of your own, which TEST_DATABASE_URL names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import type { TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { runOn } from './postgres.ts'
import { ROOT, startProgram } from './process.ts'

/** Few, because each is a table with indexes on a worker. */
const SHARDS = '4'
/** An advisory lock. */
const ADDING_NODES = 1

/** Whether a URL leads to the coordinator of a cluster with workers. */
export async function isCitus(url: string | undefined): Promise<boolean> {
  if (!url) return false
  const sql = postgres(url, { max: 1 })
  try {
    const [row] = await sql`select to_regclass('pg_dist_node') is not null as found`
    return row?.found === true && (await listNodes(sql)).length > 1
  } finally {
    await sql.end()
  }
}

interface Node {
  nodename: string
  nodeport: number
  isCoordinator: boolean
}

function listNodes(sql: Sql): Promise<Node[]> {
  return sql<Node[]>`
    select nodename, nodeport, groupid = 0 as "isCoordinator" from pg_dist_node where noderole = 'primary' order by groupid`
}

/** An empty database on every node, which belong together. */
export async function createClusterDatabase(
  server: string,
): Promise<Omit<TestDatabase, 'env'> & { url: string }> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const main = postgres(server, { max: 1, onnotice: () => undefined })
  const nodes = await listNodes(main)
  const urlOf = ({ nodename, nodeport }: Node, database: string) => {
    const url = new URL(server)
    url.host = `${nodename}:${nodeport}`
    url.pathname = database
    return url.href
  }
  const runOnEach = (statement: string, database = 'postgres') =>
    Promise.all(nodes.map((node) => runOn(urlOf(node, database), statement)))
  await runOnEach(`create database ${name}`)
  await runOnEach('create extension citus', name)
  const url = new URL(server)
  url.pathname = name
  // Adding a node also writes the roles, which all databases share: two at once fail with "tuple concurrently updated".
  await main`select pg_advisory_lock(${ADDING_NODES})`
  for (const { nodename, nodeport, isCoordinator } of nodes)
    await runOn(
      url.href,
      `select ${isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node'}('${nodename}', ${nodeport})`,
    )
  await main`select pg_advisory_unlock(${ADDING_NODES})`
  return {
    url: url.href,
    connect: () => postgres(url.href, { max: 2, onnotice: () => undefined }),
    async remove() {
      await main.end()
      // A daemon of Citus that is just connecting waits for the end of the DROP, which waits for the daemon, for five seconds.
      await eventually(() => runOnEach(`drop database if exists ${name} with (force)`))
    },
  }
}

/** What an operator runs with psql. */
const distribute = readFileSync(join(ROOT, 'deploy', 'citus', 'distribute.sql'), 'utf8')

/** A database with all migrations, distributed as an operator does. */
export async function createDistributedDatabase(server: string): Promise<TestDatabase> {
  const { url, ...database } = await createClusterDatabase(server)
  const program = startProgram({ DATABASE_URL: url }, ['migrate'])
  if ((await program.ended) !== 0) throw new Error(program.stderr.join('\n'))
  await distributeTables(url)
  return { ...database, env: { DATABASE_URL: url } }
}

export function distributeTables(url: string): Promise<unknown> {
  return runOn(url, `set citus.shard_count = ${SHARDS}; ${distribute}`)
}

/**
 * Distributes the tables of a plain Postgres database in name only, so that a server uses the SQL for Citus on it. What Citus would
 * reject is not found out this way.
 */
export async function imitateCitus(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    // Tables of our own stand before the catalogue's.
    await sql`alter database ${sql(new URL(url).pathname.slice(1))} set search_path = public, pg_catalog`
    await sql`create table pg_extension as select 'citus'::text as extname`
    await sql`create table pg_dist_partition (logicalrelid regclass)`
    await sql`
      create function create_distributed_table(name text, key text, colocate_with text)
      returns void language sql as 'insert into pg_dist_partition values (name::regclass)'`
    await sql`
      create function truncate_local_data_after_distributing_table(name text)
      returns void language sql as 'select'`
    await sql.unsafe(distribute)
  } finally {
    await sql.end()
  }
}
