/** The environments of histories: servers, their database, and the faults that happen to them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { untilAllUsed } from '../faults/standbys.ts'
import { startServer, type Server } from '../faults/server.ts'
import { createDistributedDatabase } from '../support/citus.ts'
import { createEmbeddedDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { startPgbouncer } from '../support/pgbouncer.ts'
import { runOn, startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'

/** The clients of a history; one more reads everything at the end. Each has a key of its own, and one that only reads. */
export const CLIENTS = 8
export const secretOf = (client: number, onlyReads: boolean) =>
  `the-secret-of-${onlyReads ? 'reader' : 'client'}-${client}`
const API_KEYS = Array.from({ length: CLIENTS + 1 }, (_, index) => [
  `client-${index}:${secretOf(index, false)}`,
  `reader-${index}:${secretOf(index, true)}:read`,
]).join()

/** How old what standbys show may be, in seconds. */
const MAX_LAG = 1

export interface Environment {
  urls: string[]
  /** Each breaks something and repairs it. */
  faults: (() => Promise<void>)[]
  /** How old what a read-only key sees may be, in milliseconds. */
  maxAge: number
  remove(): Promise<void>
}

export async function useEmbedded(): Promise<Environment> {
  const database = await createEmbeddedDatabase()
  const server = await startLasting(database.env)
  return {
    urls: [server.url],
    faults: [server.kill],
    maxAge: 0,
    async remove() {
      await server.stop()
      await database.remove()
    },
  }
}

/** @param settings as in postgresql.conf */
export async function usePostgres(
  settings: Record<string, string> = {},
): Promise<Environment & { databaseUrl: string }> {
  const postgres = await startPostgres({ fsync: 'off', ...settings })
  const servers = await startTwo({ DATABASE_URL: postgres.url })
  return {
    urls: servers.map(({ url }) => url),
    databaseUrl: postgres.url,
    faults: [...servers.map(({ kill }) => kill), () => pause(postgres), () => crash(postgres)],
    maxAge: 0,
    remove: () => removeAll(servers, [postgres]),
  }
}

export async function usePooler(): Promise<Environment> {
  const postgres = await startPostgres()
  const pooler = await startPgbouncer(postgres.url)
  const env = { DATABASE_URL: pooler.toUrl(postgres.url), DATABASE_LISTEN_URL: postgres.url }
  const servers = await startTwo(env)
  return {
    urls: servers.map(({ url }) => url),
    faults: [() => pooler.restart(), ...servers.map(({ kill }) => kill), () => crash(postgres)],
    maxAge: 0,
    async remove() {
      await Promise.all(servers.map(({ stop }) => stop()))
      await pooler.remove()
      await postgres.remove()
    },
  }
}

/** The primary is killed once, and its synchronous standby promoted. */
export async function useFailover(): Promise<Environment> {
  const primary = await startPostgres()
  const standby = await startStandby(primary)
  await runOn(primary.url, `alter system set synchronous_standby_names = '*'`)
  await runOn(primary.url, 'select pg_reload_conf()')
  await eventually(async () => {
    const state = await runOn(primary.url, 'select sync_state from pg_stat_replication')
    if (state !== 'sync') throw new Error(`the standby is ${state}`)
  })
  // The standby has the same setting, but no standby of its own.
  await runOn(standby.url, `alter system set synchronous_standby_names = ''`)
  await runOn(standby.url, 'select pg_reload_conf()')
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join()
  const servers = await startTwo({ DATABASE_URL: `postgres://postgres@${hosts}/postgres` })
  const failOver = async () => {
    await primary.stop('immediate')
    await runOn(standby.url, 'select pg_promote()')
  }
  return {
    urls: servers.map(({ url }) => url),
    faults: [...servers.map(({ kill }) => kill), failOver],
    maxAge: 0,
    remove: () => removeAll(servers, [primary, standby]),
  }
}

/** Keys that only read are answered by two standbys. The first one sometimes replays nothing. @param delays how far each is always behind */
export async function useStandbys(delays = ['0', '50ms']): Promise<Environment> {
  const primary = await startPostgres()
  const standbys: TestPostgres[] = []
  for (const delay of delays) {
    const standby = await startStandby(primary)
    await runOn(standby.url, `alter system set recovery_min_apply_delay = '${delay}'`)
    await runOn(standby.url, 'select pg_reload_conf()')
    standbys.push(standby)
  }
  const [paused = primary] = standbys
  const readUrl = standbys.map(({ url }) => `${url}?max_lag=${MAX_LAG}`).join(' ')
  const servers = await startTwo({ DATABASE_URL: primary.url, DATABASE_READ_URL: readUrl })
  await Promise.all(servers.map(({ current }) => untilAllUsed(current(), standbys.length)))
  return {
    urls: servers.map(({ url }) => url),
    faults: [() => stopReplay(paused), ...servers.map(({ kill }) => kill), () => stopReplay(paused)],
    maxAge: MAX_LAG * 1_000,
    remove: () => removeAll(servers, [primary, ...standbys]),
  }
}

/** Only if TEST_DATABASE_URL names the coordinator of a Citus cluster. */
export async function useCitus(): Promise<Environment> {
  const database = await createDistributedDatabase(inject('postgresUrl'))
  const servers = await startTwo(database.env)
  return {
    urls: servers.map(({ url }) => url),
    faults: servers.map(({ kill }) => kill),
    maxAge: 0,
    async remove() {
      await removeAll(servers, [])
      await database.remove()
    },
  }
}

/** A server that comes back at the same address when it has been killed. */
interface LastingServer {
  url: string
  current: () => Server
  kill: () => Promise<void>
  stop: () => Promise<void>
}

async function startLasting(env: Record<string, string>): Promise<LastingServer> {
  const port = await findFreePort()
  const start = () => startServer({ ...env, PORT: String(port), API_KEYS })
  let server = await start()
  const end = async () => {
    server.program.child.kill('SIGKILL')
    await server.program.ended
  }
  return {
    url: server.url,
    current: () => server,
    kill: async () => {
      await end()
      server = await start()
    },
    stop: end,
  }
}

async function startTwo(env: Record<string, string>): Promise<LastingServer[]> {
  // The first one migrates.
  return [await startLasting(env), await startLasting(env)]
}

async function removeAll(
  servers: readonly LastingServer[],
  databases: readonly TestPostgres[],
): Promise<void> {
  await Promise.all(servers.map(({ stop }) => stop()))
  await Promise.all(databases.map((database) => database.remove()))
}

async function crash(postgres: TestPostgres): Promise<void> {
  await postgres.stop('immediate')
  await postgres.start()
}

/** Its processes are paused for a moment. */
async function pause({ data }: TestPostgres): Promise<void> {
  const pid = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  const send = (signal: NodeJS.Signals) => {
    for (const each of [pid, ...children]) process.kill(Number(each), signal)
  }
  send('SIGSTOP')
  await setTimeout(300)
  send('SIGCONT')
}

async function stopReplay({ url }: TestPostgres): Promise<void> {
  await runOn(url, 'select pg_wal_replay_pause()')
  await setTimeout(100)
  await runOn(url, 'select pg_wal_replay_resume()')
}
