import { setTimeout } from 'node:timers/promises'
import {
  analyze,
  type Cluster,
  countServerConnections,
  countStored,
  inspectCluster,
  lockTables,
  planDistribution,
} from '../db/citus/distribution.ts'
import type { DedicatedConnection } from '../db/postgres/connection.ts'
import { OperatorError, UsageError } from '../base/service-error.ts'
import { readConfig } from '../config/config.ts'
import { resources } from '../server/resources.ts'
import { formatNumber } from '../transfer/progress.ts'
import { withDatabase } from './with-database.ts'

/** What Citus allows (citus.shard_count). */
const MAX_SHARDS = 64_000
/** How often it checks whether servers are connected, and the milliseconds in between: a connection takes a moment to end. */
const LOOKS = 10
const LOOK_INTERVAL_MS = 200

const distributed = resources.filter(({ isDistributed }) => isDistributed)

/** Spreads the tables over the workers of a Citus cluster, with all rows, in one transaction. Everything is printed to stderr. */
export async function distribute(flags: { shards: string }): Promise<void> {
  const shards = Number(flags.shards)
  if (!/^\d{1,5}$/.test(flags.shards) || shards < 1 || shards > MAX_SHARDS)
    throw new UsageError(`--shards must be a number from 1 to ${MAX_SHARDS}.`)
  if (readConfig(process.env).database.kind === 'embedded')
    throw new OperatorError(
      'The embedded database cannot be distributed: only a Citus cluster can. Set DATABASE_URL to the coordinator of one.',
    )
  await withDatabase(
    async (database) => {
      await using connection = await database.connect()
      const cluster = await inspectCluster(connection)
      throwIfUnsuitable(cluster)
      if (cluster.shards > 0) {
        console.error(
          `The tables are already distributed over ${cluster.shards} shards. Nothing was changed.`,
        )
        return
      }
      console.error(`Citus ${cluster.version}; ${cluster.nodes} nodes can hold shards.`)
      await run(connection, shards)
    },
    { onlyDedicated: true },
  )
}

function throwIfUnsuitable(cluster: Cluster | null): asserts cluster is Cluster {
  if (cluster === null)
    throw new OperatorError(
      'The database in DATABASE_URL does not belong to a Citus cluster: it lacks the extension citus. Nothing was changed.',
    )
  if (cluster.nodes === 0)
    throw new OperatorError('The Citus cluster has no workers yet: add them with citus_add_node.')
  if (!cluster.isCoordinator)
    throw new OperatorError('DATABASE_URL points to a Citus worker. Set it to the coordinator.')
}

async function run(connection: DedicatedConnection, shards: number): Promise<void> {
  await throwIfServed(connection)
  await connection.transaction(async () => {
    await connection.query(lockTables(distributed))
    for (const resource of distributed)
      console.error(
        `There are ${formatNumber(await countStored(connection, resource))} ${resource.words.many}.`,
      )
    for (const { title, statements } of planDistribution(distributed, shards)) {
      console.error(title)
      for (const statement of statements) await connection.query(statement)
    }
    // A server that started just before the lock has not noticed the change.
    await throwIfServed(connection)
  })
  for (const resource of distributed) await connection.query(analyze(resource))
  console.error('Done. Start the servers.')
}

/** A server checks only at startup whether the tables are distributed, so none may run meanwhile. */
async function throwIfServed(connection: DedicatedConnection): Promise<void> {
  let count = 0
  for (let look = 0; look < LOOKS; look += 1) {
    count = await countServerConnections(connection)
    if (count === 0) return
    await setTimeout(LOOK_INTERVAL_MS)
  }
  throw new OperatorError(
    `Servers are using the database, with ${count} connections. Stop them, and close connections that a pooler keeps ` +
      'open. Nothing was changed.',
  )
}
