/** The SQL that spreads the tables of a Citus cluster over its workers. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import type { DedicatedConnection } from '../postgres/connection.ts'
import { fixedStatement, requireValue, type Statement } from '../postgres/statement.ts'
import { idempotencyKeys } from '../postgres/tables.ts'

/** What is distributed of a resource. */
export interface DistributableTable {
  table: PgTable
  /** What it is distributed by: most requests are for one row, and new ones are spread evenly. */
  id: { column: PgColumn }
  words: { many: string }
}

function toStatement(query: SQL): Statement {
  return fixedStatement('distribute', query)
}

const selectExtension = toStatement(sql`select extversion from pg_extension where extname = 'citus'`)
const selectCluster = toStatement(sql`
  select citus_is_coordinator()::text,
    (select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary')::text,
    (select count(*) from pg_dist_shard where logicalrelid = ${literal(getTableName(idempotencyKeys))}::regclass)::text`)

export type Cluster = NonNullable<Awaited<ReturnType<typeof inspectCluster>>>

/** @returns null if the database has no Citus */
export async function inspectCluster(connection: DedicatedConnection) {
  const [[version] = []] = await connection.query(selectExtension)
  if (version == null) return null
  const [[isCoordinator, nodes, shards] = []] = await connection.query(selectCluster)
  return {
    /** The version of Citus. */
    version,
    isCoordinator: isCoordinator === 'true',
    /** The nodes that take shards. */
    nodes: Number(nodes),
    /** The shards of each table; 0 if they are not distributed. */
    shards: Number(shards),
  }
}

/** Otherwise, within a transaction, Postgres would repeat its first answer. */
const lookAgain = toStatement(sql`select pg_stat_clear_snapshot()`)
const selectServers = toStatement(sql`
  select count(*)::text from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name = 'pet-store'
    and query not like '%pg_current_wal_lsn%'`)

/**
 * The connections of servers. This process has only the given connection and, if DATABASE_URL has several hosts, one that looks for
 * the primary.
 */
export async function countServerConnections(connection: DedicatedConnection): Promise<number> {
  await connection.query(lookAgain)
  const [[count] = []] = await connection.query(selectServers)
  return Number(requireValue(count))
}

export async function countStored(
  connection: DedicatedConnection,
  { table }: DistributableTable,
): Promise<number> {
  const [[count] = []] = await connection.query(toStatement(sql`select count(*)::text from ${table}`))
  return Number(requireValue(count))
}

/** Until the end of the transaction, nothing else uses the tables, and a server that starts waits. */
export function lockTables(resources: readonly DistributableTable[]): Statement {
  const tables = sql.join([...resources.map(({ table }) => table), idempotencyKeys], sql`, `)
  return toStatement(sql`lock table ${tables} in access exclusive mode`)
}

function indexesOf({ table }: DistributableTable) {
  return getTableConfig(table).indexes.map(({ config: { name = '', columns } }) => ({
    name: sql.identifier(name),
    columns: sql.join(
      columns.map((column) => sql.identifier(('name' in column && column.name) || '')),
      sql`, `,
    ),
  }))
}

/**
 * The steps of the transaction; the title says what each does.
 * - A resource is distributed by id.
 * - Idempotency keys by key, in a two-phase commit with the item. Their number grows with that of the creations.
 * - API keys stay a table of the coordinator: they are few, and no statement joins them with the others.
 *
 * Indexes are built after the rows are there, which is faster.
 */
export function planDistribution(resources: readonly DistributableTable[], shards: number) {
  return [
    ...resources.flatMap((resource) => planTable(resource, shards)),
    {
      title: `Copying the idempotency keys into ${shards} shards, by key.`,
      statements: distributeTable(getTableName(idempotencyKeys), idempotencyKeys.key.name, shards),
    },
  ]
}

function planTable(resource: DistributableTable, shards: number) {
  const {
    table,
    id,
    words: { many },
  } = resource
  const indexes = indexesOf(resource)
  return [
    {
      title: `Dropping the triggers of ${many}: from now on, servers announce the events of their own writes.`,
      statements: [dropTriggers(getTableName(table))],
    },
    {
      title: `Copying the ${many} into ${shards} shards, by id.`,
      statements: [
        ...indexes.map(({ name }) => toStatement(sql`drop index ${name}`)),
        ...distributeTable(getTableName(table), id.column.name, shards),
      ],
    },
    {
      title: `Building the indexes of ${many}.`,
      statements: indexes.map(({ name, columns }) =>
        toStatement(sql`create index ${name} on ${table} (${columns})`),
      ),
    },
  ]
}

/** They cannot be part of a distributed table. */
function dropTriggers(table: string): Statement {
  return toStatement(
    sql.raw(`
    do $$ declare name text;
    begin
      for name in select tgname from pg_trigger where tgrelid = '${table}'::regclass and not tgisinternal loop
        execute format('drop trigger %I on %I', name, '${table}');
      end loop;
    end $$`),
  )
}

function distributeTable(table: string, column: string, shards: number): Statement[] {
  const name = literal(table)
  return [
    toStatement(sql`
      select create_distributed_table(
        ${name}, ${literal(column)}, colocate_with := 'none', shard_count := ${sql.raw(String(shards))}
      )`),
    // Otherwise the coordinator would keep the rows.
    toStatement(sql`select truncate_local_data_after_distributing_table(${name})`),
  ]
}

function literal(text: string): SQL {
  return sql.raw(`'${text}'`)
}

export function analyze({ table }: DistributableTable): Statement {
  return toStatement(sql`analyze ${table}`)
}
