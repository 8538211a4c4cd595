/** The SQL that spreads the tables of a Citus cluster over its workers. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/pg-core'
import { nameKeyOf } from '../../pets/name-key.ts'
import { nameOf, requireText } from '../../pets/pet.ts'
import type { DedicatedConnection } from '../postgres/dedicated-connection.ts'
import { buildStatement, type Statement } from '../postgres/statement.ts'
import { idempotencyKeys, pets } from '../tables.ts'
import { NAME_KEY_COLUMN } from './tables.ts'

/** A step of the transaction; the title says what it does. */
export interface Step {
  title: string
  statements: Statement[]
}

function toStatement(query: SQL): Statement {
  return buildStatement('distributePets', query, { prepare: false }).with({})
}

const selectExtension = toStatement(sql`select extversion from pg_extension where extname = 'citus'`)
const selectCluster = toStatement(sql`
  select citus_is_coordinator()::text,
    (select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary')::text,
    (select count(*) from pg_dist_shard where logicalrelid = ${literal(getTableName(pets))}::regclass)::text`)

export interface Cluster {
  /** The version of Citus. */
  version: string
  isCoordinator: boolean
  /** The nodes that take shards. */
  nodes: number
  /** The shards of the pets; 0 if they are not distributed. */
  shards: number
}

/** @returns null if the database has no Citus */
export async function inspectCluster(connection: DedicatedConnection): Promise<Cluster | null> {
  const [[version] = []] = await connection.query(selectExtension)
  if (version == null) return null
  const [[isCoordinator, nodes, shards] = []] = await connection.query(selectCluster)
  return { version, isCoordinator: isCoordinator === 'true', nodes: Number(nodes), shards: Number(shards) }
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
  return Number(requireText(count))
}

const countPets = toStatement(sql`select count(*)::text from ${pets}`)

export async function countStoredPets(connection: DedicatedConnection): Promise<number> {
  const [[count] = []] = await connection.query(countPets)
  return Number(requireText(count))
}

/** Until the end of the transaction, nothing else uses the tables, and a server that starts waits. */
export const lockTables = toStatement(sql`lock table ${pets}, ${idempotencyKeys} in access exclusive mode`)

/** The indexes of pets, as in tables.ts. */
const indexes = getTableConfig(pets).indexes.map(({ config: { name = '', columns } }) => ({
  name: sql.identifier(name),
  columns: sql.join(
    // The only expression is the name key.
    columns.map((column) => sql.identifier(('name' in column && column.name) || NAME_KEY_COLUMN)),
    sql`, `,
  ),
}))

const TRIGGERS = ['pet_created_or_deleted', 'pet_updated', 'pets_truncated']

/**
 * - Pets are distributed by id: most requests are for one pet, and new ones are spread evenly.
 * - Idempotency keys by key, in a two-phase commit with the pet. Their number grows with that of the creations.
 * - API keys and request counts stay tables of the coordinator: they are small, and no statement joins them with the others. A
 *   count of requests would be slower on a worker.
 *
 * Triggers cannot be part of a distributed table. Indexes are built after the pets are there, which is faster.
 */
export function planDistribution(shards: number): Step[] {
  return [
    {
      title: 'Dropping the triggers of pets: from now on, servers announce the events of their own writes.',
      statements: TRIGGERS.map((name) => toStatement(sql`drop trigger ${sql.identifier(name)} on ${pets}`)),
    },
    {
      title: `Adding the column ${NAME_KEY_COLUMN}, by which names are sorted and searched.`,
      statements: [
        ...indexes.map(({ name }) => toStatement(sql`drop index ${name}`)),
        toStatement(sql`
          alter table ${pets} add column ${sql.identifier(NAME_KEY_COLUMN)} text collate "C"
          generated always as (${nameKeyOf(nameOf(pets.name))}) stored`),
      ],
    },
    {
      title: `Copying the pets into ${shards} shards, by id.`,
      statements: distributeTable(getTableName(pets), pets.id.name, shards),
    },
    {
      title: 'Building the indexes of pets.',
      statements: indexes.map(({ name, columns }) =>
        toStatement(sql`create index ${name} on ${pets} (${columns})`),
      ),
    },
    {
      title: `Copying the idempotency keys into ${shards} shards, by key.`,
      statements: distributeTable(getTableName(idempotencyKeys), idempotencyKeys.key.name, shards),
    },
  ]
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

export const analyzePets = toStatement(sql`analyze ${pets}`)
